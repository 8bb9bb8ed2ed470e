from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve

from protorel.evaluation.entity_pairs.precision_recall_curve import Ranking

# Few distinct scores, so that ties are common.
scored = st.lists(st.tuples(st.sampled_from([0.1, 0.4, 0.5, 0.9]), st.booleans()), min_size=1, max_size=12)


def curve_of(things, *, weights=None, facts=None):
    scores, truth = np.array([s for s, _ in things]), np.array([t for _, t in things])
    ranking = Ranking.of(scores, truth, np.arange(len(things)))
    given = np.ones(len(things)) if weights is None else np.asarray(weights, dtype=np.float64)
    return ranking.curve(given, float(given @ truth) if facts is None else facts)


@given(scored.filter(lambda things: any(truth for _, truth in things)))
def test_area_and_best_f1_agree_with_scikit_learn(things):
    scores, truth = zip(*things, strict=True)
    curve = curve_of(things)
    assert curve.area() == pytest.approx(average_precision_score(truth, scores), abs=1e-12)
    precision, recall, _ = precision_recall_curve(truth, scores)
    f1 = [2 * p * r / (p + r) if p + r else 0.0 for p, r in zip(precision, recall, strict=True)]
    assert curve.best_f1() == pytest.approx(max(f1), abs=1e-12)


@given(scored, st.data())
def test_a_pair_counted_twice_is_as_if_it_stood_there_twice(things, data):
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(things), max_size=len(things)))
    copies = [thing for thing, weight in zip(things, weights, strict=True) for _ in range(weight)]
    if not any(truth for _, truth in copies):
        return
    by_weight, by_copy = curve_of(things, weights=weights), curve_of(copies)
    assert by_weight.area() == pytest.approx(by_copy.area(), abs=1e-12)
    assert by_weight.best_f1() == pytest.approx(by_copy.best_f1(), abs=1e-12)
    for number in range(1, len(copies) + 2):
        assert by_weight.precision_at(number) == pytest.approx(by_copy.precision_at(number), abs=1e-12)


def test_precision_at_n_within_equal_scores_is_the_mean_over_all_their_orders():
    things = [(0.9, True), (0.5, True), (0.5, False), (0.5, False), (0.1, True)]
    curve = curve_of(things)
    for number in range(1, 6):
        orders = [[things[0], *middle, things[4]] for middle in permutations(things[1:4])]
        wanted = np.mean([np.mean([truth for _, truth in order[:number]]) for order in orders])
        assert curve.precision_at(number) == pytest.approx(wanted)


def test_precision_at_more_than_there_are_is_of_all():
    assert curve_of([(0.9, True), (0.5, False)]).precision_at(100) == 0.5


def test_true_things_outside_the_list_count_as_missed():
    things = [(0.9, True), (0.5, False), (0.4, True)]
    assert curve_of(things, facts=4).area() == pytest.approx((1 + 2 / 3) / 4)
    assert curve_of(things, facts=4).best_f1() == pytest.approx(2 * (2 / 3) * (1 / 2) / (2 / 3 + 1 / 2))


def test_with_nothing_to_be_found_there_is_no_area():
    assert math.isnan(curve_of([(0.9, False)]).area())
    assert math.isnan(curve_of([(0.9, False)]).best_f1())
