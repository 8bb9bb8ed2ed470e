"""Paired differences against plain loops: over episodes, over relations, by signs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.evaluation.measurement import measure
from protorel.statements import BadInput
from protorel_paper.tables.summary.paired import PairedDifference, paired_difference, sign_chance

SHARES = st.floats(-1, 1, allow_nan=False)


@given(st.lists(SHARES, min_size=1, max_size=8))
def test_the_chance_of_signs_is_counted_over_all_of_them(differences):
    total = abs(sum(differences))
    signs = list(product((1, -1), repeat=len(differences)))
    as_large = sum(abs(sum(s * d for s, d in zip(one, differences, strict=True))) >= total - 1e-12 for one in signs)
    assert sign_chance(differences) == pytest.approx(as_large / len(signs))


def test_sixteen_relations_that_all_gain_are_hardly_chance():
    assert sign_chance([0.01 * (i + 1) for i in range(16)]) == 2 / 2**16


def test_more_relations_than_can_be_counted_are_drawn_by_seed():
    differences = np.random.default_rng(1).normal(0.2, 1, 20).tolist()
    exact = sign_chance(differences, seed=0)
    assert exact == sign_chance(differences, seed=0)
    assert 0 < exact == pytest.approx(sign_chance(differences, seed=1), abs=0.02)
    assert sign_chance([1.0] * 30) == pytest.approx(1 / 2**16, abs=1e-4)


def test_the_difference_is_that_of_the_means_with_both_intervals():
    rng = np.random.default_rng(0)
    first, second = (rng.integers(0, 6, 400) / 5 for _ in range(2))
    ours, theirs = ({f"P{i}": float(value) for i, value in enumerate(rng.random(9))} for _ in range(2))
    found = paired_difference(ours, theirs, first, second)
    assert found.value == pytest.approx(first.mean() - second.mean())
    # Redrawing many episodes agrees with the normal interval of their differences.
    assert found.over_episodes.margin == pytest.approx(measure(first - second).margin, rel=0.1)
    assert found.over_episodes.count == 400
    by_relation = [ours[name] - theirs[name] for name in ours]
    assert found.over_relations == measure(by_relation)
    assert found.chance == sign_chance(by_relation)


def test_the_same_answers_differ_by_nothing():
    values = np.tile([0.2, 0.8], 20)
    found = paired_difference({"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.5}, values, values)
    assert (found.value, found.over_episodes.margin, found.says, found.chance) == (0, 0, 0, 1)


def test_of_more_episodes_only_the_first_are_compared():
    found = paired_difference({"a": 1.0, "b": 1.0}, {"a": 0.0, "b": 0.1}, np.ones(10), np.zeros(30))
    assert (found.over_episodes.count, found.value) == (10, 1)


def test_without_episodes_relations_are_all_there_is():
    found = paired_difference({"a": 0.9, "b": 0.8}, {"a": 0.4, "b": 0.4})
    assert found.over_episodes is None
    assert found.value == pytest.approx(0.45)
    assert found.as_json()["over_episodes"] is None


@pytest.mark.parametrize(("gains", "says"), [([0.2, 0.21, 0.19], 1), ([-0.2, -0.21, -0.19], -1), ([0.3, -0.1, 0.0], 0)])
def test_only_a_difference_beyond_its_interval_says_something(gains, says):
    assert PairedDifference(measure(gains), sign_chance(gains)).says == says


def test_rows_of_different_relations_are_not_compared():
    with pytest.raises(BadInput, match="expected the same test relations, got 'b' in one row only"):
        paired_difference({"a": 1.0, "b": 1.0}, {"a": 1.0})
