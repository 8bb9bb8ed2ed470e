"""Calibration: is a confidence the share of answers that are right?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

BINS = 15
_SMALLEST = 1e-12
_AROUND = np.geomspace(1e-3, 1e3, 61)
"""Temperatures that are tried before the best is refined, as multiples of the spread of the scores."""


def answer_probability(scores: NDArray[np.floating], temperature: float) -> NDArray[np.float64]:
    """Return the softmax probability of the best way, over the last axis."""
    below = (scores - scores.max(-1, keepdims=True)).astype(np.float64)
    probability: NDArray[np.float64] = 1 / np.exp(below / temperature).sum(-1)
    return probability


def fit_temperature(scores: NDArray[np.floating], right: NDArray[np.bool_]) -> float:
    """Return the temperature whose probability of the best way tells best whether that answer is right.

    Temperature scaling (Guo et al. 2017), fitted by the log-likelihood of being right, so that queries that belong to
    no way have their say too.
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
    """Return the expected calibration error: how far confidence and accuracy differ within bins of equal width.

    Each bin counts by the share of answers that fall into it.
    """
    sure, hits = confidence.ravel().astype(np.float64), right.ravel()
    bin_of = np.minimum((sure * bins).astype(np.int64), bins - 1)
    differences = np.bincount(bin_of, weights=hits - sure, minlength=bins)
    return float(np.abs(differences).sum() / len(sure))
