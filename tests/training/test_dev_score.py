from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from protorel.evaluation import class_scores, score_semeval
from protorel.training.dev_score import dev_score

LABELS = ["Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "Entity-Origin(e1,e2)", "Message-Topic(e2,e1)", "Other"]
pairs = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=30)


@given(pairs, st.sampled_from([None, "Other"]))
def test_micro_macro_and_accuracy_are_those_of_scikit_learn(given_pairs, no_relation):
    gold, answers = zip(*given_pairs, strict=True)
    labels = sorted({*gold, *answers} - {no_relation})
    for metric in ("micro", "macro"):
        found = dev_score(gold, answers, metric=metric, no_relation=no_relation)
        wanted = f1_score(gold, answers, labels=labels, average=metric, zero_division=0) if labels else 0
        assert found == pytest.approx(wanted)
    assert dev_score(gold, answers, metric="accuracy", no_relation=no_relation) == accuracy_score(gold, answers)


@given(pairs.filter(lambda found: any(label != "Other" for label, _ in found)))
@settings(max_examples=20)  # the official score redraws its interval each time
def test_the_score_for_semeval_is_the_official_one(given_pairs):
    gold = {str(number): label for number, (label, _) in enumerate(given_pairs)}
    answers = {str(number): answer for number, (_, answer) in enumerate(given_pairs)}
    found = dev_score(list(gold.values()), list(answers.values()), metric="semeval", no_relation="Other")
    assert found == pytest.approx(score_semeval(gold, answers).f1)


def test_the_score_that_chooses_is_the_score_that_is_reported():
    gold, answers = ["a", "a", "b", "c", "none", "none"], ["a", "b", "b", "none", "d", "none"]
    reported = class_scores(gold, answers, no_relation="none")
    assert dev_score(gold, answers, metric="macro", no_relation="none") == pytest.approx(reported.macro_f1.value)
    assert dev_score(gold, answers, metric="micro", no_relation="none") == pytest.approx(reported.micro_f1.value)


def test_the_right_relation_in_the_wrong_direction_is_wrong():
    gold, answers = ["Cause-Effect(e1,e2)"] * 2, ["Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)"]
    assert dev_score(gold, answers, metric="semeval") == 0.5
    # As two labels of their own they are averaged.
    assert dev_score(gold, answers, metric="macro") == pytest.approx((2 / 3 + 0) / 2)


def test_where_only_no_relation_is_wanted_and_answered_the_score_is_zero():
    for metric in ("semeval", "macro", "micro"):
        assert dev_score(["none"], ["none"], metric=metric, no_relation="none") == 0
