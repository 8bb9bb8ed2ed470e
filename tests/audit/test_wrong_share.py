"""The share of wrong labels: unbiased, equal to plain loops, with an interval that covers, and honest about gaps."""

from __future__ import annotations

from itertools import combinations, product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.audit import Sample, draw_sample, estimate_wrong_share, wilson_interval
from protorel.audit.wrong_share import FEWEST, Z
from protorel.io import BadInput

VERDICT = st.sampled_from([True, False, None])


def population(count: int = 1200, share: float = 0.3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores that are calibrated, and which labels are wrong."""
    chance = np.random.default_rng(seed)
    scores = chance.beta(2 * (1 - share), 2 * share * 0.7, size=count)
    return scores, chance.random(count) > scores


def made_sample(strata: list[int], places: list[int]) -> Sample:
    of_all = np.array(strata, dtype=np.int32)
    of_drawn = of_all[places]
    inclusion = np.bincount(of_drawn, minlength=of_all.max() + 1) / np.bincount(of_all)
    return Sample(np.array(places), inclusion[of_drawn], of_drawn, of_all)


def looped(scores, sample, wrong) -> tuple[float, float, float]:
    """The estimator once more, in plain loops."""
    total, value, centre, variance = len(scores), 0.0, 0.0, 0.0
    known = {True: 0, False: 0}
    for h in range(max(sample.strata) + 1):
        inside = [score for score, stratum in zip(scores, sample.strata, strict=True) if stratum == h]
        verdicts = [one for one, stratum in zip(wrong, sample.stratum, strict=True) if stratum == h and one is not None]
        weight, n, x = len(inside) / total, len(verdicts), sum(verdicts)
        known[True] += x
        known[False] += n - x
        expected = 1 - sum(inside) / len(inside)
        smooth = (x + (1 - weight**2) * expected + weight**2 / 2) / (n + 1)
        value += weight * (x / n if n else expected)
        centre += weight * smooth
        variance += weight**2 * (1 - n / len(inside)) * smooth * (1 - smooth) / max(n - 1, 1)
    if variance == 0:
        return value, value, value
    size = centre * (1 - centre) / variance
    middle = (value + Z**2 / (2 * size)) / (1 + Z**2 / size)
    half = Z / (1 + Z**2 / size) * sqrt(value * (1 - value) / size + Z**2 / (4 * size**2))
    return value, max(middle - half, known[True] / total, 0), min(middle + half, 1 - known[False] / total, 1)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.integers(1, 60), st.data())
def test_the_estimate_is_that_of_plain_loops_and_lies_in_its_interval(scores, size, data):
    sample = draw_sample(scores, size)
    wrong = data.draw(st.lists(VERDICT, min_size=len(sample), max_size=len(sample)))
    wrong[0] = bool(wrong[0])
    found = estimate_wrong_share(scores, sample, wrong)
    value, low, high = looped(scores, sample, wrong)
    assert found.value == pytest.approx(value)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.judged + found.missing == len(sample)
    assert 0 <= found.more_to_halve <= len(scores) - found.judged


def test_over_all_samples_of_a_tiny_population_the_estimate_is_right_on_average():
    strata, wrong = [0] * 3 + [1] * 5, [True, True, False, False, True, False, False, False]
    scores = [0.2] * 3 + [0.8] * 5
    values = []
    for first, second in product(combinations(range(3), 2), combinations(range(3, 8), 3)):
        places = [*first, *second]
        values.append(estimate_wrong_share(scores, made_sample(strata, places), [wrong[p] for p in places]).value)
    assert np.mean(values) == pytest.approx(np.mean(wrong))


def test_the_horvitz_thompson_sum_is_the_estimate():
    scores, wrong = population()
    sample = draw_sample(scores, 150)
    found = estimate_wrong_share(scores, sample, wrong[sample.places].tolist())
    assert found.value == pytest.approx((wrong[sample.places] / sample.inclusion).sum() / len(scores))


@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize(
    "distorted", [lambda s: s, np.square, lambda s: np.clip(s + 0.3, 0, 1), lambda s: np.modf(s * 997)[0]]
)
def test_intervals_cover_the_truth_whatever_the_scores_are_worth(share, distorted):
    scores, wrong = population(share=share)
    scores, truth, covered = distorted(scores), wrong.mean(), 0
    for seed in range(200):
        sample = draw_sample(scores, 150, seed=seed)
        found = estimate_wrong_share(scores, sample, wrong[sample.places].tolist())
        covered += found.low <= truth <= found.high
    assert 0.90 <= covered / 200 <= 0.995


def test_good_scores_make_the_interval_narrower_than_that_of_a_plain_sample():
    scores, wrong = population()
    widths = []
    for strata in (6, 1):
        samples = [draw_sample(scores, 150, seed=seed, strata=strata) for seed in range(20)]
        widths.append(np.mean([estimate_wrong_share(scores, s, wrong[s.places].tolist()).width for s in samples]))
    assert widths[0] < 0.85 * widths[1]


def test_one_stratum_gives_nearly_the_interval_of_wilson():
    scores, wrong = population(count=5000)
    sample = draw_sample(scores, 150, strata=1)
    verdicts = wrong[sample.places].tolist()
    found = estimate_wrong_share(scores, sample, verdicts)
    assert (found.low, found.high) == pytest.approx(wilson_interval(sum(verdicts), 150, statements=5000), abs=0.002)


def test_a_stratum_without_a_verdict_has_the_expected_share_and_widens_the_interval():
    scores, strata = [0.1] * 20 + [0.9] * 20, [0] * 20 + [1] * 20
    sample = made_sample(strata, [0, 1, 2, 3, 20, 21, 22, 23])
    full = estimate_wrong_share(scores, sample, [True] * 4 + [False] * 4)
    gap = estimate_wrong_share(scores, sample, [True] * 4 + [None] * 4)
    assert gap.value == pytest.approx((1.0 + 0.1) / 2)
    assert (gap.judged, gap.missing) == (4, 4)
    assert gap.width > full.width


@pytest.mark.parametrize("verdict", [True, False])
def test_verdicts_that_all_agree_are_not_certain(verdict):
    scores, _ = population()
    found = estimate_wrong_share(scores, draw_sample(scores, 150), [verdict] * 150)
    assert found.value == float(verdict)
    assert found.width > 0.005


def test_missing_verdicts_count_as_the_judged_ones_of_their_stratum():
    scores, strata = [0.5] * 10 + [0.9] * 30, [0] * 10 + [1] * 30
    sample = made_sample(strata, [0, 1, 2, 3, 10, 11, 12, 13])
    found = estimate_wrong_share(scores, sample, [True, None, True, False, False, False, None, None])
    assert found.value == pytest.approx(0.25 * 2 / 3 + 0.75 * 0)
    assert (found.judged, found.missing, found.statements) == (5, 3, 40)


@pytest.mark.parametrize("scores", [[0.4], [0.7] * 30, population(40)[0].tolist()])
def test_a_census_is_certain(scores):
    wrong = [number % 3 == 0 for number in range(len(scores))]
    sample = draw_sample(scores, 1000)
    found = estimate_wrong_share(scores, sample, [wrong[place] for place in sample.places])
    assert found.value == pytest.approx(np.mean(wrong))
    assert (found.low, found.high, found.more_to_halve) == (found.value, found.value, 0)


def test_as_many_more_judgements_as_announced_halve_the_interval():
    scores, wrong = population(count=6000)
    before, after = [], []
    for seed in range(12):
        sample = draw_sample(scores, 150, seed=seed)
        found = estimate_wrong_share(scores, sample, wrong[sample.places].tolist())
        grown = draw_sample(scores, 150 + found.more_to_halve, seed=seed)
        before.append(found.width)
        after.append(estimate_wrong_share(scores, grown, wrong[grown.places].tolist()).width)
    assert np.mean(after) / np.mean(before) == pytest.approx(0.5, abs=0.05)


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_verdicts_does_not_matter(chance):
    scores, wrong = population(count=200)
    sample = draw_sample(scores, 60)
    order = list(range(60))
    chance.shuffle(order)
    moved = Sample(sample.places[order], sample.inclusion[order], sample.stratum[order], sample.strata)
    first, second = (estimate_wrong_share(scores, s, wrong[s.places].tolist()) for s in (sample, moved))
    assert first == second


def test_relations_with_enough_verdicts_have_estimates_of_their_own():
    scores, wrong = population()
    names = np.array(["often", "rare"])[(np.arange(len(scores)) % 40 == 0).astype(int)]
    sample = draw_sample(scores, 200)
    found = estimate_wrong_share(scores, sample, wrong[sample.places].tolist(), relations=names.tolist())
    often = found.relations["often"]
    assert often is not None
    assert often.judged >= FEWEST
    assert often.statements == (names == "often").sum()
    assert often.low <= wrong[names == "often"].mean() <= often.high
    assert found.relations["rare"] is None


def test_a_single_relation_that_is_everything_has_the_same_share():
    scores, wrong = population()
    sample = draw_sample(scores, 150)
    found = estimate_wrong_share(scores, sample, wrong[sample.places].tolist(), relations=["r"] * len(scores))
    assert found.relations["r"] is not None
    assert found.relations["r"].value == pytest.approx(found.value)


def test_a_relation_that_was_judged_completely_is_certain_though_small():
    scores, wrong = population(count=100)
    names = ["small"] * 3 + ["large"] * 97
    sample = made_sample([0] * 100, list(range(30)))
    found = estimate_wrong_share(scores, sample, wrong[:30].tolist(), relations=names)
    small = found.relations["small"]
    assert small is not None
    assert small.low == small.value == small.high == pytest.approx(wrong[:3].mean())


def test_the_share_reads_as_a_sentence():
    assert str(estimate_wrong_share([0.5, 0.5], draw_sample([0.5, 0.5], 2), [True, False])) == (
        "50.0 % wrong (95 % interval 50.0 to 50.0)"
    )


@pytest.mark.parametrize(
    ("scores", "wrong", "relations", "message"),
    [
        ([0.5, 0.5], [None, None], None, "expected a verdict on at least one drawn statement, got none"),
        ([0.5, 0.5], [True], None, r"expected one verdict per drawn statement \(2\), got 1"),
        ([0.5, 0.5], [True, "no"], None, "verdict 1: expected True, False or None, got 'no'"),
        ([0.5, 0.5], [True, 1], None, "verdict 1: expected True, False or None, got 1"),
        ([0.5], [True, False], None, "scores: expected 2 as in the sample, got 1"),
        ([0.5, float("nan")], [True, False], None, "scores: place 1: expected a number from 0 to 1, got nan"),
        ([0.5, 0.5], [True, False], ["r"], "relations: expected 2, got 1"),
    ],
)
def test_bad_input_is_one_line(scores, wrong, relations, message):
    with pytest.raises(BadInput, match=message) as problem:
        estimate_wrong_share(scores, draw_sample([0.5, 0.5], 2), wrong, relations=relations)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(("wrong", "judged", "statements"), [(1, 0, None), (3, 2, None), (-1, 2, None), (1, 5, 4)])
def test_impossible_counts_are_refused(wrong, judged, statements):
    with pytest.raises(BadInput, match="expected 0 <= wrong <= judged"):
        wilson_interval(wrong, judged, statements=statements)


def test_the_interval_of_wilson_is_that_of_scipy():
    from scipy.stats import binomtest

    for wrong, judged in ((0, 10), (3, 10), (150, 150)):
        theirs = binomtest(wrong, judged).proportion_ci(method="wilson")
        assert wilson_interval(wrong, judged) == pytest.approx((theirs.low, theirs.high))
