"""Samples to judge: stratified by score, with known probabilities, deterministic, and able to grow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.audit import draw_sample
from protorel.audit.sampling import FLOOR, STRATA, allocation, score_strata, spreads
from protorel.io import BadInput

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=80)


def beta_scores(count: int = 500) -> np.ndarray:
    return np.random.default_rng(0).beta(2, 0.6, size=count)


@given(SCORES, st.integers(1, 90), st.integers(0, 3), st.integers(1, 8))
def test_places_are_distinct_and_their_probabilities_add_up(scores, size, seed, strata):
    sample = draw_sample(scores, size, seed=seed, strata=strata)
    assert len(sample) == min(size, len(scores)) == len(set(sample.places.tolist()))
    assert sample.sizes.sum() == len(scores)
    assert (sample.stratum == sample.strata[sample.places]).all()
    everywhere = (sample.drawn / sample.sizes)[sample.strata]  # the inclusion probability of every place
    assert everywhere.sum() == pytest.approx(len(sample))
    assert sample.inclusion == pytest.approx(everywhere[sample.places])
    if (sample.drawn > 0).all():
        assert (1 / sample.inclusion).sum() == pytest.approx(len(scores))


@given(SCORES, st.integers(1, 80), st.integers(1, 80), st.integers(0, 3))
def test_a_larger_sample_begins_with_the_smaller_one(scores, one, other, seed):
    small, large = (draw_sample(scores, size, seed=seed) for size in sorted((one, other)))
    assert large.places[: len(small)].tolist() == small.places.tolist()


def test_equal_seeds_draw_equally_and_others_do_not():
    scores = beta_scores()
    first = draw_sample(scores, 150, seed=3)
    assert first.places.tolist() == draw_sample(scores, 150, seed=3).places.tolist()
    assert first.places.tolist() != draw_sample(scores, 150, seed=4).places.tolist()


@given(st.lists(st.floats(0, 1), min_size=2, max_size=60), st.randoms(use_true_random=False))
def test_strata_follow_the_scores_whatever_their_order(scores, chance):
    order = list(range(len(scores)))
    chance.shuffle(order)
    values = np.array(scores)
    strata = score_strata(values)
    assert (score_strata(values[order]) == strata[order]).all()
    by_score = strata[np.argsort(values, kind="stable")]
    assert (np.diff(by_score) >= 0).all()
    assert by_score[0] == 0
    assert all(len(set(strata[values == one].tolist())) == 1 for one in scores)  # ties are never divided


@given(SCORES)
def test_no_stratum_is_small_unless_it_is_the_only_one(scores):
    sizes = np.bincount(score_strata(np.array(scores)))
    assert len(sizes) == 1 or sizes.min() >= 2 * FLOOR


def test_every_stratum_has_its_floor_and_doubtful_ones_are_sampled_more_densely():
    scores = np.concatenate([np.linspace(0.001, 0.01, 400), np.linspace(0.4, 0.6, 400), np.linspace(0.99, 1, 1200)])
    sample = draw_sample(scores, 150)
    assert len(sample.sizes) == STRATA
    assert sample.drawn.min() >= FLOOR
    density = [sample.inclusion[(scores[sample.places] > low) & (scores[sample.places] < high)].mean()
               for low, high in ((0.0, 0.1), (0.3, 0.7), (0.9, 1.0))]  # fmt: skip
    assert density[1] > 1.5 * max(density[0], density[2])


def test_the_allocation_is_the_best_of_all_that_keep_the_floor():
    sizes, spread, size, floor = [9, 14, 30], [0.5, 0.3, 0.1], 12, 2

    def variance(counts: tuple[int, ...]) -> float:
        return sum((n * s) ** 2 / count for n, s, count in zip(sizes, spread, counts, strict=True))

    counts = [0, 0, 0]
    for _, stratum in zip(range(size), allocation([0, 0, 0], sizes, spread, floor=floor), strict=False):
        counts[stratum] += 1
    every = [(a, b, size - a - b) for a in range(floor, 10) for b in range(floor, 11) if size - a - b >= floor]
    assert variance(tuple(counts)) == pytest.approx(min(map(variance, every)))


def test_each_place_of_a_stratum_is_drawn_equally_often():
    scores = beta_scores(60)
    counts, expected = np.zeros(60), np.zeros(60)
    for seed in range(3000):
        sample = draw_sample(scores, 30, seed=seed, strata=3)
        counts[sample.places] += 1
        expected += (sample.drawn / sample.sizes)[sample.strata]
    assert np.abs(counts - expected).max() < 4.5 * np.sqrt(3000 / 4)


def test_a_plain_sample_has_one_stratum_and_so_has_a_very_small_one():
    for sample in (draw_sample(beta_scores(), 150, strata=1), draw_sample(beta_scores(), 2 * STRATA)):
        assert sample.sizes.tolist() == [500]
        assert sample.inclusion.tolist() == [len(sample) / 500] * len(sample)


@pytest.mark.parametrize("scores", [[0.3], [0.7] * 40, [0.0] * 20 + [1.0] * 20, beta_scores(40).tolist()])
def test_a_size_beyond_the_population_draws_all_of_it(scores):
    sample = draw_sample(scores, 1000)
    assert sorted(sample.places.tolist()) == list(range(len(scores)))
    assert sample.inclusion.tolist() == [1.0] * len(scores)


def test_the_assumed_spread_is_never_zero():
    assert (spreads(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1], dtype=np.int32)) > 0.1).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], 10), r"scores: expected one number per statement, got an array of shape \(0,\)"),
        (([[0.5]], 10), "scores: expected one number per statement"),
        (([0.5, float("nan")], 10), "scores: place 1: expected a number from 0 to 1, got nan"),
        (([0.5, 1.5], 10), "scores: place 1: expected a number from 0 to 1, got 1.5"),
        ((["a"], 10), "scores: expected numbers from 0 to 1, got something else"),
        (([0.5], 0), "size: expected at least 1, got 0"),
        (([0.5], 1.5), "size: expected a whole number, got 1.5"),
    ],
)
def test_bad_input_is_one_line(arguments, message):
    with pytest.raises(BadInput, match=message) as problem:
        draw_sample(*arguments)
    assert "\n" not in str(problem.value)


def test_a_bad_seed_or_number_of_strata_is_one_line():
    with pytest.raises(BadInput, match="seed: expected at least 0, got -1"):
        draw_sample([0.5], 1, seed=-1)
    with pytest.raises(BadInput, match="strata: expected at least 1, got 0"):
        draw_sample([0.5], 1, strata=0)
