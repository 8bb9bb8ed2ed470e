"""Intervals by redrawing (bootstrap), for figures that are no mean: F1, precision at N, areas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.result import Measurement

DRAWS = 1000


def redrawn_counts(counts: NDArray[np.int64], *, seed: int, draws: int = DRAWS) -> NDArray[np.int64]:
    """Redraw as many things as there are, with replacement, and count each kind again, once for each draw.

    Things of a kind are alike, so the counts themselves can be drawn: it is the same lottery, and far faster.
    """
    total = int(counts.sum())
    return np.random.default_rng([seed, total]).multinomial(total, counts / total, size=draws)


def measured(value: float, redrawn: NDArray[np.float64], *, count: int) -> Measurement:
    """Return a figure with half of the span that 95 % of its redrawn values take; NaN is a draw that has no value."""
    valued = redrawn[~np.isnan(redrawn)]
    if count < 2 or not len(valued):
        return Measurement(value, math.inf, count)
    low, high = np.quantile(valued, [0.025, 0.975])
    return Measurement(value, float(high - low) / 2, count)


def as_numbers(measurement: Measurement) -> dict[str, Any]:
    """Return a measurement for JSON, which knows no infinity: no margin where there is nothing to take one from."""
    margin = measurement.margin if math.isfinite(measurement.margin) else None
    return {"value": measurement.value, "margin": margin, "count": measurement.count}
