"""The label check: histograms and suspects."""

from dataclasses import replace

from protorel.evaluation import Measurement
from protorel.report import SuspectLabel
from protorel.report.label_check import label_check_section, margin_histogram
from protorel.statements import Span, Statement


def _judged(expresses):
    statement = Statement("Ada of Lunsk", Span(0, 3), Span(7, 12), "born_in", expresses=expresses)
    return SuspectLabel(statement, -0.418, "lives_in")


def test_the_truth_of_a_suspect_is_told_where_it_is_known(content):
    suspects = [_judged(False), _judged(True), _judged(None)]
    html = label_check_section(replace(content, suspects=suspects))
    assert html.count("the label is wrong") == 1
    assert html.count("the label is true") == 1
    assert "1 of these 2 are known to be wrong" in html
    assert html.count("−0.42") == 3
    assert "<bdi>born in</bdi>" in html
    assert "<bdi>lives in</bdi>" in html


def test_a_relation_without_a_name_is_called_by_its_id(content):
    html = label_check_section(replace(content, suspects=[_judged(None)], relation_names={}))
    assert "<bdi>born_in</bdi>" in html


def test_suspects_are_shown_without_margins_and_margins_without_suspects(content):
    alone = label_check_section(replace(content, margins_true=[], margins_false=[], auroc=None))
    assert "Most suspicious labels" in alone
    assert "Histogram" not in alone
    alone = label_check_section(replace(content, suspects=[]))
    assert "Most suspicious labels" not in alone
    assert "Histogram" in alone


def test_the_area_is_given_with_its_margin_or_left_out():
    assert "<strong>0.931</strong>" in margin_histogram([0.1], [-0.1], Measurement(0.931, 0.01, 9))
    assert "AUROC" not in margin_histogram([0.1], [-0.1], None)


def test_margins_all_alike_give_a_histogram():
    for value in (0.0, 0.3, -2.0):
        assert 'class="true-labels"' in margin_histogram([value] * 3, [], None)
