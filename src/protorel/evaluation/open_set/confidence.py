"""Confidence in an answer: how it is computed, calibrated, and evaluated by risk and coverage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

Scores = NDArray[np.floating]
"""A score per candidate relation, along the last axis."""
BINS = 15
_SMALLEST = 1e-12
_AROUND = np.geomspace(1e-3, 1e3, 61)
"""Temperatures to try before the best one is refined, as multiples of the spread of the scores."""


def best(scores: Scores, temperature: float) -> NDArray[np.float64]:  # noqa: ARG001
    """Return the score of the best candidate."""
    highest: NDArray[np.float64] = scores.max(-1).astype(np.float64)
    return highest


def margin(scores: Scores, temperature: float) -> NDArray[np.float64]:
    """Return how far the best candidate is ahead of the second."""
    if scores.shape[-1] == 1:
        return best(scores, temperature)
    ordered = np.sort(scores, axis=-1).astype(np.float64)
    ahead: NDArray[np.float64] = ordered[..., -1] - ordered[..., -2]
    return ahead


def above_mean(scores: Scores, temperature: float) -> NDArray[np.float64]:  # noqa: ARG001
    """Return how far the best candidate is ahead of the mean, which is high for queries that are close to anything."""
    ahead: NDArray[np.float64] = scores.max(-1).astype(np.float64) - scores.mean(-1, dtype=np.float64)
    return ahead


def answer_probability(scores: Scores, temperature: float) -> NDArray[np.float64]:
    """Return the softmax probability of the best candidate, over the last axis."""
    below = (scores - scores.max(-1, keepdims=True)).astype(np.float64)
    probability: NDArray[np.float64] = 1 / np.exp(below / temperature).sum(-1)
    return probability


CONFIDENCES: Mapping[str, Callable[[Scores, float], NDArray[np.float64]]] = {
    "best": best,
    "margin": margin,
    "above_mean": above_mean,
    "probability": answer_probability,
}
"""Confidences in the best candidate, by name."""


def fit_temperature(scores: Scores, right: NDArray[np.bool_]) -> float:
    """Return the temperature at which the probability of the best candidate predicts best whether it is right.

    Temperature scaling (Guo et al. 2017), fitted by the log-likelihood of being right, so that queries that belong to
    no candidate count too.
    """
    spread = float((scores.max(-1, keepdims=True) - scores).mean())
    if spread == 0:
        return 1.0

    def loss(logarithm: float) -> float:
        probability = answer_probability(scores, float(np.exp(logarithm)))
        likelihood = np.where(right, probability, 1 - probability)
        return float(-np.log(np.maximum(likelihood, _SMALLEST)).mean())

    tried = np.log(_AROUND * spread)
    best = int(np.argmin([loss(logarithm) for logarithm in tried]))
    bounds = (tried[max(best - 1, 0)], tried[min(best + 1, len(tried) - 1)])
    return float(np.exp(optimize.minimize_scalar(loss, bounds=bounds, method="bounded").x))


def calibration_error(confidence: NDArray[np.floating], right: NDArray[np.bool_], *, bins: int = BINS) -> float:
    """Return the expected calibration error: the difference of confidence and accuracy in bins of equal width.

    A bin is weighted by the share of answers in it.
    """
    sure, hits = confidence.ravel().astype(np.float64), right.ravel()
    bin_of = np.minimum((sure * bins).astype(np.int64), bins - 1)
    differences = np.bincount(bin_of, weights=hits - sure, minlength=bins)
    return float(np.abs(differences).sum() / len(sure))


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """The risk-coverage curve: one point per number of queries answered, the most confident first."""

    coverage: NDArray[np.float64]
    """The share of queries that are answered."""
    risk: NDArray[np.float64]
    """The share of the answers that are wrong."""

    @property
    def area(self) -> float:
        """The area under the curve (AURC): the mean risk over all coverages; lower is better."""
        return float(self.risk.mean())

    def points(self, count: int = 100) -> list[tuple[float, float]]:
        """Return up to `count` points of the curve, evenly spaced in coverage, the last at 1."""
        chosen = np.unique(np.ceil(np.arange(1, count + 1) * len(self.risk) / count).astype(np.int64)) - 1
        return [(float(self.coverage[place]), float(self.risk[place])) for place in chosen]


def risk_coverage(confidence: NDArray[np.floating], right: NDArray[np.bool_]) -> RiskCoverage:
    """Return the curve of answers ordered by confidence; equal confidences share their errors evenly."""
    _, place, counts = np.unique(confidence.ravel(), return_inverse=True, return_counts=True)
    wrong = np.bincount(place, weights=~right.ravel()) / counts
    answered = np.arange(1, right.size + 1)
    risk = np.cumsum(np.repeat(wrong[::-1], counts[::-1])) / answered
    return RiskCoverage(answered / right.size, risk)
