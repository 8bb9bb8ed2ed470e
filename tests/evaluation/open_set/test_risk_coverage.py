"""The curve of risk over coverage, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.evaluation.open_set.confidence import risk_coverage

ANSWERS = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30)


def _arrays(answers):
    return np.asarray([a for a, _ in answers], dtype=float), np.asarray([b for _, b in answers], dtype=bool)


def test_without_ties_the_curve_is_what_a_plain_loop_counts():
    rng = np.random.default_rng(0)
    confidence, right = rng.permutation(40).astype(float), rng.random(40) < 0.6
    curve = risk_coverage(confidence, right)
    order = sorted(range(40), key=lambda i: -confidence[i])
    wrong, area = 0, 0.0
    for answered, i in enumerate(order, start=1):
        wrong += not right[i]
        area += wrong / answered / 40
        assert curve.risk[answered - 1] == pytest.approx(wrong / answered)
        assert curve.coverage[answered - 1] == pytest.approx(answered / 40)
    assert curve.area == pytest.approx(area)


def test_ties_count_as_the_average_over_all_orders_of_the_tied():
    curve = risk_coverage(np.asarray([0.5, 0.5, 0.9]), np.asarray([False, True, True]))
    # The tied come as wrong-right (risks 0, 1/2, 1/3) or right-wrong (0, 0, 1/3).
    assert curve.risk.tolist() == pytest.approx([0, 1 / 4, 1 / 3])


@given(answers=ANSWERS)
def test_at_full_coverage_the_risk_is_what_accuracy_leaves(answers):
    confidence, right = _arrays(answers)
    assert risk_coverage(confidence, right).risk[-1] == pytest.approx(1 - right.mean())


@given(answers=ANSWERS, data=st.data())
def test_the_order_in_which_answers_are_listed_does_not_matter(answers, data):
    shuffled = data.draw(st.permutations(answers))
    assert risk_coverage(*_arrays(answers)).area == pytest.approx(risk_coverage(*_arrays(shuffled)).area)


@given(answers=ANSWERS)
def test_no_order_has_less_area_than_one_that_knows_the_truth(answers):
    confidence, right = _arrays(answers)
    assert risk_coverage(right.astype(float), right).area <= risk_coverage(confidence, right).area + 1e-12


@pytest.mark.parametrize(("count", "shown"), [(7, 7), (100, 100), (1000, 100)])
def test_a_shown_curve_has_few_points_and_ends_at_full_coverage(count, shown):
    right = np.arange(count) % 3 > 0
    curve = risk_coverage(np.arange(count, dtype=float), right)
    points = curve.points()
    assert len(points) == shown
    assert points[-1] == (1.0, pytest.approx(1 - right.mean()))
    assert [coverage for coverage, _ in points] == sorted(coverage for coverage, _ in points)
    for coverage, risk in points:
        assert risk == curve.risk[round(coverage * count) - 1]
