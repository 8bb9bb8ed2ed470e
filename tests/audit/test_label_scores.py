"""Scores are those of plain loops, and probabilities those of scikit-learn or of the mixture that was made."""

from __future__ import annotations

import math
from collections import Counter
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from protorel.audit.label_scores import WEIGHTS, combined_scores, fit_calibration, standardised

UNKNOWN = np.nan
FINITE = st.floats(-100, 100, allow_nan=False)


def plain_loop(values: np.ndarray, labels: np.ndarray) -> list[float]:
    """Standardise within relations, with ten statements of the average relation added to each."""
    known = [float(one) for one in values if math.isfinite(one)]
    mean = fmean(known)
    variance = fmean((one - mean) ** 2 for one in known)
    found = []
    for value, label in zip(values, labels, strict=True):
        own = [float(one) for one, other in zip(values, labels, strict=True) if other == label and math.isfinite(one)]
        centre = (sum(own) + 10 * mean) / (len(own) + 10)
        squares = sum((one - fmean(own)) ** 2 for one in own)
        spread = math.sqrt((squares + 10 * variance) / (len(own) + 10))
        found.append((float(value) - centre) / max(spread, 1e-12) if math.isfinite(value) else 0.0)
    return found


@given(
    rows=st.lists(
        st.tuples(st.one_of(FINITE.map(lambda one: round(one, 3)), st.just(UNKNOWN)), st.integers(0, 4)), min_size=2
    )
)
def test_standardised_values_are_those_of_a_plain_loop(rows):
    values, labels = (np.asarray(one) for one in zip(*rows, strict=True))
    found = standardised(values, labels)
    if not np.isfinite(values).any():
        assert not found.any()
    elif np.nanstd(values) > 1e-6:
        np.testing.assert_allclose(found, plain_loop(values, labels), rtol=1e-6, atol=1e-6)
    assert np.isfinite(found).all()


def some_evidence(count: int = 60) -> tuple[dict[str, np.ndarray], np.ndarray]:
    chance = np.random.default_rng(0)
    evidence = {name: chance.random(count) for name in WEIGHTS}
    return evidence, chance.integers(3, size=count)


def test_the_score_is_the_weighted_sum_over_the_evidence_that_there_is():
    evidence, labels = some_evidence()
    evidence["wording_confidence"][:20] = UNKNOWN
    evidence["description_fit"][10:30] = UNKNOWN
    found = combined_scores(evidence, labels)
    logged = {**evidence, "cross_fitted_probability": np.log(evidence["cross_fitted_probability"])}
    scaled = {name: plain_loop(values, labels) for name, values in logged.items()}
    counts = Counter(labels.tolist())
    for row in range(60):
        there = [name for name in WEIGHTS if math.isfinite(evidence[name][row])]
        weights = dict(WEIGHTS)
        weights["description_fit"] *= 50 / (50 + counts[int(labels[row])])
        expected = sum(weights[name] * scaled[name][row] for name in there)
        assert found[row] == pytest.approx(expected / math.sqrt(sum(weights[name] ** 2 for name in there)))


def test_missing_evidence_counts_nothing():
    evidence, labels = some_evidence()
    evidence["description_fit"][:] = UNKNOWN
    assert not standardised(evidence["description_fit"], labels).any()
    assert np.isfinite(combined_scores(evidence, labels)).all()


def test_a_probability_of_zero_is_not_infinitely_bad():
    evidence, labels = some_evidence()
    evidence["cross_fitted_probability"][:5] = 0.0
    assert np.isfinite(combined_scores(evidence, labels)).all()


@pytest.mark.parametrize("name", WEIGHTS)
def test_more_of_any_evidence_never_lowers_the_rank_of_a_label(name):
    evidence, labels = some_evidence()
    before = combined_scores(evidence, labels)
    evidence[name][7] = 1.5
    after = combined_scores(evidence, labels)
    assert (after < after[7]).sum() >= (before < before[7]).sum()


def test_judged_labels_are_calibrated_as_by_scikit_learn():
    chance = np.random.default_rng(0)
    scores = chance.normal(size=3000)
    truth = (chance.random(3000) < 1 / (1 + np.exp(-(2.0 * scores + 0.7)))).astype(float)
    truth[::3] = UNKNOWN
    known = np.isfinite(truth)
    found = fit_calibration(scores, truth)
    peer = LogisticRegression(C=np.inf, max_iter=1000).fit(scores[known, None], truth[known])
    np.testing.assert_allclose(found.probabilities(scores), peer.predict_proba(scores[:, None])[:, 1], atol=0.01)
    assert found.judged == known.sum()


@pytest.mark.parametrize("judged", [(0, 0), (19, 0), (100, 0), (0, 100), (100, 4), (4, 100)])
def test_too_few_judged_labels_of_either_kind_do_not_calibrate(judged):
    scores = np.random.default_rng(0).normal(size=300)
    truth = np.full(300, UNKNOWN)
    truth[: judged[0]], truth[judged[0] : sum(judged)] = 1.0, 0.0
    assert fit_calibration(scores, truth).judged == 0


def test_judged_labels_that_contradict_the_scores_make_them_say_nothing():
    scores = np.linspace(-1, 1, 100)
    found = fit_calibration(scores, (scores < 0).astype(float)).probabilities(scores)
    assert (np.diff(found) >= 0).all()
    np.testing.assert_allclose(found, 0.5, atol=0.05)


def test_judged_labels_that_the_scores_separate_are_calibrated_without_overflow():
    scores = np.r_[np.full(50, -5.0), np.full(50, 5.0)]
    found = fit_calibration(scores, np.repeat([0.0, 1.0], 50)).probabilities(scores)
    assert (found[:50] < 0.1).all()
    assert (found[50:] > 0.9).all()


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_the_mixture_finds_the_share_of_wrong_labels(share):
    chance = np.random.default_rng(0)
    wrong = chance.random(4000) < share
    scores = chance.normal(size=4000) + np.where(wrong, -2.0, 2.0)
    found = fit_calibration(scores, np.full(4000, UNKNOWN))
    assert found.judged == 0
    assert 1 - found.probabilities(scores).mean() == pytest.approx(wrong.mean(), abs=0.03)


@given(
    scores=st.lists(FINITE, min_size=2, max_size=60),
    judged=st.lists(st.sampled_from([0.0, 1.0, UNKNOWN]), min_size=60, max_size=60),
)
def test_probabilities_rise_with_the_score(scores, judged):
    values = np.sort(np.asarray(scores))
    found = fit_calibration(values, np.asarray(judged[: len(values)])).probabilities(values)
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) >= 0).all()


@pytest.mark.parametrize("judged", [False, True])
def test_constant_scores_do_not_fail(judged):
    truth = np.arange(40) % 2.0 if judged else np.full(40, UNKNOWN)
    found = fit_calibration(np.full(40, 0.25), truth).probabilities(np.full(40, 0.25))
    np.testing.assert_allclose(found, 0.5, atol=0.01)


def test_a_mixture_is_never_certain_and_keeps_the_order_of_far_scores():
    scores = np.concatenate([np.linspace(-9, -8, 50), np.linspace(3, 12, 200)])
    found = fit_calibration(scores, np.full(len(scores), np.nan))
    probabilities = found.probabilities(scores).astype(np.float32)
    assert found.judged == 0
    assert (np.diff(probabilities) > 0).all()
    assert 1 / (1 + np.exp(6)) < probabilities.min()
    assert probabilities.max() < 1 / (1 + np.exp(-6))
