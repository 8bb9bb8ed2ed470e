"""Every figure of a rejecting rule, against plain loops over queries."""

import math

import numpy as np
import pytest

from protorel.evaluation.open_set.none_of_these import none_of_these
from protorel.evaluation.open_set.rejection import OpenAnswers, Rejection


def _answers(episodes=60, way=4, share=0.3, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(episodes, way, way))
    known = rng.random((episodes, way)) >= share
    right = (scores.argmax(-1) == np.arange(way)) & known
    return OpenAnswers(scores, right, known)


def test_every_figure_is_what_a_plain_loop_counts():
    given, rule = _answers(), Rejection("best", 1.0, 0.7)
    found = none_of_these(given, rule, share=0.3)
    rejected = caught = outsiders = hits = always = answered = count = 0
    for scores, right, known in zip(given.scores, given.right, given.known, strict=True):
        for query in range(4):
            count += 1
            answers = max(scores[query]) >= 1.0
            answered += answers
            rejected += not answers
            outsiders += not known[query]
            caught += not answers and not known[query]
            always += right[query]
            hits += right[query] if answers else not known[query]
    assert found.accuracy.value == pytest.approx(hits / count)
    assert found.always_answering.value == pytest.approx(always / count)
    assert found.coverage.value == pytest.approx(answered / count)
    assert found.precision.value == pytest.approx(caught / rejected)
    assert found.recall.value == pytest.approx(caught / outsiders)
    assert found.accuracy.count == found.area.count == 60
    for figure in (found.accuracy, found.precision, found.recall, found.area, found.calibration_error):
        assert 0 < figure.margin < 0.5


def test_with_all_known_and_nothing_rejected_it_is_plain_accuracy():
    given = _answers(share=0.0)
    found = none_of_these(given, Rejection("best", -math.inf, 1.0), share=0.0)
    plain = (given.scores.argmax(-1) == np.arange(4)).mean()
    assert found.accuracy == found.always_answering
    assert found.accuracy.value == pytest.approx(plain)
    assert found.coverage.value == 1
    assert (found.precision, found.recall) == (None, None)


def test_the_curve_ends_where_everything_is_answered():
    found = none_of_these(_answers(), Rejection("margin", 0.1, 1.0), share=0.3)
    assert found.curve.risk[-1] == pytest.approx(1 - found.always_answering.value)
    assert found.curve.area == pytest.approx(found.area.value)


def test_rejecting_everything_gets_the_outsiders_right_and_nothing_else():
    given = _answers()
    found = none_of_these(given, Rejection("best", 99.0, 1.0), share=0.3)
    assert found.accuracy.value == pytest.approx((~given.known).mean())
    assert found.recall.value == 1
    assert found.coverage.value == 0


def test_the_interval_of_the_area_covers_what_other_episodes_give():
    areas = [none_of_these(_answers(seed=seed), Rejection("best", 1.0, 1.0), share=0.3).area for seed in range(12)]
    middle = sum(area.value for area in areas) / 12
    assert sum(abs(area.value - middle) <= area.margin for area in areas) >= 9


def test_the_same_seed_gives_the_same_intervals():
    first, again = (none_of_these(_answers(), Rejection("best", 1.0, 1.0), share=0.3, seed=4) for _ in range(2))
    assert first.as_json() == again.as_json()


def test_as_json_there_are_numbers_and_points_and_nothing_where_nothing_was_rejected():
    told = none_of_these(_answers(share=0.0), Rejection("best", -math.inf, 1.0), share=0.0).as_json()
    assert told["precision"] is told["recall"] is None
    assert told["accuracy"].keys() == {"value", "margin", "count"}
    assert told["curve"][-1][0] == 1.0
    assert len(told["curve"]) == 100
