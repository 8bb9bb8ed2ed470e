"""The combined score: four pieces of evidence on one scale, then a probability that the label is right.

    score = z(log cross-fitted probability) + 2 · 50 / (50 + n) · z(fit to the description)
            + ½ · z(agreement of neighbours) + z(confidence of the wording)

n is the number of the relation's statements: the more there are, the less a description adds to them. z standardises
within a relation, since relations differ in how easily they are recognised; the mean and spread of a small relation
are drawn towards those of all. Evidence that is missing counts 0. The weights were chosen on small world and on
Re-DocRED's evidence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WEIGHTS = {
    "cross_fitted_probability": 1.0,
    "description_fit": 2.0,
    "neighbour_agreement": 0.5,
    "wording_confidence": 1.0,
}
DESCRIPTION_WORTH = 50.0
"""The number of a relation's statements at which its description has half of its weight."""
_SHRINKAGE = 10.0
"""Statements of the average relation that are added to each relation's own when its mean and spread are measured."""
_LEAST_PROBABILITY = 1e-9
_FEWEST_JUDGED = 20
"""Fewest judged statements, and of these right and wrong ones a quarter each, that a calibration is fitted to."""

_SUREST = 6.0
"""The log odds that a mixture's probabilities approach."""

Numbers = NDArray[np.float64]


def combined_scores(evidence: dict[str, Numbers], labels: NDArray[np.int64]) -> Numbers:
    """Return the score of each label: higher is better, of no particular scale."""
    probability = np.log(np.maximum(evidence["cross_fitted_probability"], _LEAST_PROBABILITY))
    columns = {**evidence, "cross_fitted_probability": probability}
    counts = np.bincount(labels)[labels]
    total, present = np.zeros(len(labels)), np.zeros(len(labels))
    for name, one in WEIGHTS.items():
        weight = one * (DESCRIPTION_WORTH / (DESCRIPTION_WORTH + counts) if name == "description_fit" else 1.0)
        total += weight * standardised(columns[name], labels)
        present += weight**2 * np.isfinite(columns[name])
    # Labels with less evidence would otherwise all be found in the middle of the ranking.
    return total / np.sqrt(present)


def standardised(values: Numbers, labels: NDArray[np.int64]) -> Numbers:
    """Return values in standard deviations from their relation's mean; 0 for a missing one."""
    known = np.isfinite(values)
    if not known.any():
        return np.zeros(len(values))
    filled = np.where(known, values, 0.0).astype(np.float64)
    mean, variance = float(filled[known].mean()), float(filled[known].var())
    counts = np.bincount(labels[known], minlength=int(labels.max()) + 1)
    sums = np.bincount(labels[known], weights=filled[known], minlength=len(counts))
    means = sums / np.maximum(counts, 1)
    spread = np.bincount(labels[known], weights=np.square(filled[known] - means[labels[known]]), minlength=len(counts))
    centres = (sums + _SHRINKAGE * mean) / (counts + _SHRINKAGE)
    spreads = np.sqrt((spread + _SHRINKAGE * variance) / (counts + _SHRINKAGE))
    deviations = (filled - centres[labels]) / np.maximum(spreads[labels], 1e-12)
    return np.where(known, deviations, 0.0)


@dataclass(frozen=True, slots=True)
class ScoreCalibration:
    """The probability that a label is right: 1 / (1 + exp(-slope · (score - middle)))."""

    slope: float
    middle: float
    judged: int
    """Number of judged statements behind it; 0 where it is a mixture fitted to the scores alone."""

    def probabilities(self, scores: Numbers) -> Numbers:
        """Return the probability that each label is right.

        A mixture says nothing about its tails, so without judged statements log odds stay below 6,
        and labels further out still differ.
        """
        odds = self.slope * (scores - self.middle)
        if not self.judged:
            odds = _SUREST * odds / (_SUREST + np.abs(odds))
        return 1 / (1 + np.exp(-np.clip(odds, -30, 30)))


def fit_calibration(scores: Numbers, truth: NDArray[np.float64]) -> ScoreCalibration:
    """Fit the probabilities to judged statements, or where there are too few, to a mixture of right and wrong scores.

    Args:
        scores: One score per label.
        truth: 1 for a label known to be right, 0 for one known to be wrong, NaN for the others.
    """
    known = np.isfinite(truth)
    right = int(truth[known].sum())
    wrong = int(known.sum()) - right
    if known.sum() >= _FEWEST_JUDGED and min(right, wrong) >= _FEWEST_JUDGED // 4:
        return _logistic(scores[known], truth[known])
    return _mixture(scores)


def _logistic(scores: Numbers, truth: Numbers) -> ScoreCalibration:
    """Platt's calibration with his smoothed targets (1999), by Newton steps."""
    right = truth.sum()
    wrong = len(truth) - right
    targets = np.where(truth > 0.5, (right + 1) / (right + 2), 1 / (wrong + 2))
    features = np.stack([scores, np.ones_like(scores)], axis=1)
    weights = np.array([1.0, 0.0])
    for _ in range(100):
        chance = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        gradient = features.T @ (chance - targets) + 1e-6 * weights
        curvature = (features.T * (chance * (1 - chance))) @ features + 1e-6 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step * min(1.0, 4 / max(1e-12, float(np.abs(step).max())))
        if np.abs(step).max() < 1e-9:
            break
    # A score that ranks judged labels the wrong way round says nothing.
    slope = max(float(weights[0]), 1e-3)
    return ScoreCalibration(slope, -float(weights[1]) / slope, len(truth))


def _mixture(scores: Numbers) -> ScoreCalibration:
    """Fit two normal distributions of one variance, by expectation-maximisation; the lower one has the wrong labels."""
    spread = float(scores.std())
    if spread < 1e-9:
        return ScoreCalibration(1.0, float(scores.mean()), 0)
    low, high = (float(one) for one in np.quantile(scores, [0.1, 0.75]))
    share, variance = 0.3, (spread / 2) ** 2
    for _ in range(500):
        odds = np.log(share / (1 - share)) + (np.square(scores - high) - np.square(scores - low)) / (2 * variance)
        wrong = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
        before = low, high, share
        share = float(np.clip(wrong.mean(), 0.005, 0.995))
        low = float((wrong * scores).sum() / max(wrong.sum(), 1e-9))
        high = float(((1 - wrong) * scores).sum() / max((1 - wrong).sum(), 1e-9))
        squares = wrong * np.square(scores - low) + (1 - wrong) * np.square(scores - high)
        variance = max(float(squares.mean()), (1e-3 * spread) ** 2)
        if max(abs(one - other) for one, other in zip(before, (low, high, share), strict=True)) < 1e-7:
            break
    slope = max((high - low) / variance, 1e-3)
    middle = (low + high) / 2 + math.log(share / (1 - share)) / slope
    return ScoreCalibration(slope, middle, 0)
