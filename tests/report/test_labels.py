"""The section of labels: histogram, relations, and the worst labels with what is known of them."""

from dataclasses import replace

import numpy as np
import pytest

from protorel.evaluation import Measurement
from protorel.report import LabelCheck, RelationLabels, WorstLabel
from protorel.report.histogram import groups_of, histogram
from protorel.report.sections.labels import labels_section
from protorel.statements import Span, Statement

NAMES = {"born_in": "born in", "lives_in": "lives in"}


def _worst(expresses, says=None, reason=""):
    statement = Statement("Ada of Lunsk", Span(0, 3), Span(7, 12), "born_in", expresses=expresses)
    return WorstLabel(statement, -0.418, "lives_in", reason=reason, says=says)


def _check(**parts):
    scores = {"true": np.asarray([0.1, 0.4]), "false": np.asarray([-0.1])}
    return replace(LabelCheck("margin", "About margins.", scores, [_worst(None)]), **parts)


def test_the_truth_of_a_label_is_told_where_it_is_known():
    html = labels_section(_check(worst=[_worst(False), _worst(True), _worst(None)]), NAMES)
    assert html.count("the label is wrong") == 1
    assert html.count("the label is true") == 1
    assert "1 of these 2 are known to be wrong" in html
    assert html.count("−0.42") == 3
    assert "<bdi>born in</bdi>" in html
    assert "<bdi>lives in</bdi>" in html


def test_what_the_sentence_really_says_and_the_reason_are_shown():
    html = labels_section(_check(worst=[_worst(False, says="lives in", reason="its <b>neighbours</b>")]), {})
    assert "<dt>really says</dt><dd><bdi>lives in</bdi></dd>" in html
    assert "its &lt;b&gt;neighbours&lt;/b&gt;" in html
    assert "<bdi>born_in</bdi>" in html, "a relation without a name is called by its id"


def test_worst_labels_are_shown_without_scores_and_scores_without_worst_labels():
    alone = labels_section(_check(scores={}), NAMES)
    assert "most suspicious labels" in alone
    assert "Histogram" not in alone
    alone = labels_section(_check(worst=[]), NAMES)
    assert "most suspicious labels" not in alone
    assert "Histogram" in alone
    assert labels_section(_check(worst=[], scores={}), NAMES) == labels_section(None, NAMES) == ""


def test_many_labels_are_folded_away():
    html = labels_section(_check(worst=[_worst(None)] * 40), NAMES)
    assert "<summary>28 more</summary>" in html


def test_the_area_is_given_with_its_interval_or_left_out():
    assert "<strong>0.931</strong>" in labels_section(_check(auroc=Measurement(0.931, 0.01, 9)), NAMES)
    assert "AUROC" not in labels_section(_check(), NAMES)


def test_relations_have_their_counts_and_what_they_are_confused_with():
    html = labels_section(_check(relations=[RelationLabels("born_in", 60, 20, 15.4, "lives_in")]), NAMES)
    assert '<td>60</td><td>20</td><td>15 <span class="margin">26 %</span></td><td><bdi>lives in</bdi></td>' in html


@pytest.mark.parametrize("value", [0.0, 0.3, -2.0])
def test_scores_all_alike_give_a_histogram(value):
    assert 'class="bars h0"' in histogram(groups_of({"labels": np.full(3, value)}), title="score")


def test_a_group_keeps_its_style_whichever_others_there_are():
    groups = groups_of({"empty": np.asarray([]), "infinite": np.asarray([np.inf]), "full": np.asarray([1.0])})
    assert [(group.name, group.style) for group in groups] == [("full", "h2")]
    assert histogram([], title="score") == ""
