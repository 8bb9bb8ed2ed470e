"""Rules that leave a query without an answer, against plain loops."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.evaluation.open_set.rejection import (
    CONFIDENCES,
    OpenAnswers,
    Rejection,
    learn_rejection,
    most_accurate_threshold,
    threshold_for_error,
)

QUERIES = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from([(True, True), (False, True), (False, False)])),
    min_size=1,
    max_size=25,
)


def _arrays(queries):
    confidence = np.asarray([sure for sure, _ in queries], dtype=float)
    right, known = (np.asarray([truth[i] for _, truth in queries]) for i in range(2))
    return confidence, right, known


def _thresholds(confidence):
    """All that differ in what they reject and leave something: below the lowest, and between any two."""
    values = sorted(set(confidence.tolist()))
    return [-math.inf, *((low + high) / 2 for low, high in pairwise(values))]


def test_each_confidence_is_what_its_name_says():
    row = [0.2, 0.9, 0.4]
    powers = [math.exp(score / 0.5) for score in row]
    expected = {
        "best": 0.9,
        "margin": 0.9 - 0.4,
        "above_mean": 0.9 - sum(row) / 3,
        "probability": max(powers) / sum(powers),
    }
    assert expected.keys() == CONFIDENCES.keys()
    for name, value in expected.items():
        assert CONFIDENCES[name](np.asarray([[row]]), 0.5).tolist() == [[pytest.approx(value)]]


def test_a_single_candidate_has_no_second_to_be_ahead_of():
    assert CONFIDENCES["margin"](np.asarray([[0.3]]), 1.0).tolist() == [0.3]


@given(queries=QUERIES)
def test_no_threshold_gives_more_accuracy_and_no_lower_one_as_much(queries):
    confidence, right, known = _arrays(queries)
    found, claimed = most_accurate_threshold(confidence, right, known)

    def accuracy(threshold):
        hits = 0
        for sure, is_right, is_known in zip(confidence, right, known, strict=True):
            hits += is_right if sure >= threshold else not is_known
        return hits / len(confidence)

    assert accuracy(found) == pytest.approx(claimed)
    tried = [*_thresholds(confidence), max(confidence) + 1]
    assert claimed == pytest.approx(max(map(accuracy, tried)))
    assert all(accuracy(other) < claimed - 1e-9 for other in tried if other < found - 1e-9)


@given(queries=QUERIES, wanted=st.sampled_from([0.0, 0.2, 0.5, 0.9]))
def test_the_threshold_is_the_lowest_that_keeps_the_highest_error(queries, wanted):
    confidence, right, _ = _arrays(queries)
    found = threshold_for_error(confidence, right, wanted)

    def keeps(threshold):
        answered = confidence >= threshold
        return answered.any() and (~right[answered]).mean() <= wanted

    expected = next((threshold for threshold in _thresholds(confidence) if keeps(threshold)), None)
    if expected is None:
        assert not (confidence >= found).any()
    else:
        assert found == expected


def test_where_every_query_is_known_nothing_is_rejected():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20, 3, 3))
    right = rng.random((20, 3)) < 0.7
    learned = learn_rejection(OpenAnswers(scores, right, np.ones((20, 3), dtype=bool)))
    assert learned.threshold == -math.inf
    assert learned.answers(scores).all()


def _outsiders_that_one_rule_sees(rule, count=300):
    """Known and unknown queries that only one confidence tells apart."""
    rng = np.random.default_rng(1)
    known = rng.random((count, 1)) < 0.5
    level = rng.normal(size=(count, 1))  # how alike anything is to the query: it hides what `best` says
    if rule == "best":
        scores = np.stack([np.where(known, 2.0, 0.0), np.where(known, 1.0, -1.0), np.zeros((count, 1))], axis=-1)
    elif rule == "margin":
        second = np.where(known, -1.0, -0.1)
        scores = np.stack([level, level + second, level - 2 - second], axis=-1)
    else:
        scores = np.stack([level, level - 0.3, level - np.where(known, 3.0, 0.6)], axis=-1)
    return OpenAnswers(scores, known, known)


@pytest.mark.parametrize("rule", ["margin", "above_mean"])
def test_the_rule_that_tells_outsiders_best_is_chosen(rule):
    given_answers = _outsiders_that_one_rule_sees(rule)
    learned = learn_rejection(given_answers)
    answered = learned.answers(given_answers.scores)
    assert learned.rule in {rule, "probability"}
    assert (answered == given_answers.known).all()


def test_a_level_that_says_it_all_is_used():
    given_answers = _outsiders_that_one_rule_sees("best")
    learned = learn_rejection(given_answers)
    assert (learned.answers(given_answers.scores) == given_answers.known).all()


def test_a_highest_error_replaces_the_threshold():
    rng = np.random.default_rng(2)
    known = rng.random((200, 2)) < 0.6
    scores = np.stack([np.where(known, 1.0, 0.0) + rng.normal(size=(200, 2)), np.zeros((200, 2))], axis=-1)
    free, strict = (learn_rejection(OpenAnswers(scores, known, known), max_error=error) for error in (None, 0.05))
    assert free.rule == strict.rule
    assert strict.threshold > free.threshold
    assert (~known[strict.answers(scores)]).mean() <= 0.05


def test_a_rejection_answers_what_is_as_sure_as_its_threshold():
    rule = Rejection("best", 0.5, 1.0)
    assert rule.answers(np.asarray([[0.5, 0.1], [0.4999, 0.1]])).tolist() == [True, False]
