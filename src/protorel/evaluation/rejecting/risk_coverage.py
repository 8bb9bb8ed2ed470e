"""Risk and coverage: how often an answer is wrong, when only the surest answers are given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """One point for each number of queries answered, the surest first."""

    coverage: NDArray[np.float64]
    """The share of queries that are answered."""
    risk: NDArray[np.float64]
    """The share of the answers that are wrong."""

    @property
    def area(self) -> float:
        """The area under the curve (AURC): the risk, averaged over all coverages; lower is better."""
        return float(self.risk.mean())

    def points(self, count: int = 100) -> list[tuple[float, float]]:
        """Return up to `count` points of the curve, evenly spread over the coverage, the last of them at 1."""
        chosen = np.unique(np.ceil(np.arange(1, count + 1) * len(self.risk) / count).astype(np.int64)) - 1
        return [(float(self.coverage[place]), float(self.risk[place])) for place in chosen]


def risk_coverage(confidence: NDArray[np.floating], right: NDArray[np.bool_]) -> RiskCoverage:
    """Order answers by confidence and count the wrong ones; equal confidences share their errors evenly."""
    _, place, counts = np.unique(confidence.ravel(), return_inverse=True, return_counts=True)
    wrong = np.bincount(place, weights=~right.ravel()) / counts
    answered = np.arange(1, right.size + 1)
    risk = np.cumsum(np.repeat(wrong[::-1], counts[::-1])) / answered
    return RiskCoverage(answered / right.size, risk)
