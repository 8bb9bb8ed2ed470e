"""Figures with 95 % intervals: Student's interval for a mean, the bootstrap for any other figure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

DRAWS = 1000
"""Bootstrap samples, by default."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A figure with its 95 % interval.

    Args:
        value: The figure.
        margin: Half the width of its 95 % interval; infinite where there is nothing to estimate it from.
        count: The number of independent draws behind it, such as episodes or relations.

    Example:
        >>> print(Measurement(0.905, 0.012, 1000))
        90.50% ± 1.20% (n=1000)
    """

    value: float
    margin: float
    count: int

    def __str__(self) -> str:
        return f"{100 * self.value:.2f}% ± {100 * self.margin:.2f}% (n={self.count})"


def measure(values: ArrayLike) -> Measurement:
    """Return the mean of independent values with Student's 95 % interval, which also holds for small samples.

    Example:
        >>> print(measure([0.5, 0.7, 0.6]))
        60.00% ± 24.84% (n=3)
    """
    array = np.asarray(values, dtype=np.float64)
    count = len(array)
    if count == 0:
        raise ValueError("values: expected at least one, got none")
    if count == 1:
        return Measurement(float(array[0]), math.inf, 1)
    error = float(array.std(ddof=1)) / math.sqrt(count)
    return Measurement(float(array.mean()), float(stats.t.ppf(0.975, count - 1)) * error, count)


def bootstrap_counts(counts: NDArray[np.int64], *, seed: int, draws: int = DRAWS) -> NDArray[np.int64]:
    """Return bootstrap samples of items that fall into kinds: how often each kind occurs in each sample.

    Items of a kind are interchangeable, so their counts are drawn from a multinomial distribution. This is the same
    bootstrap as drawing items one by one, and much faster.
    """
    total = int(counts.sum())
    return np.random.default_rng([seed, total]).multinomial(total, counts / total, size=draws)


def bootstrap_measurement(value: float, resampled: NDArray[np.float64], *, count: int) -> Measurement:
    """Return a figure with its 95 % bootstrap interval, from its values in the samples; NaN is a sample without one."""
    valued = resampled[~np.isnan(resampled)]
    if count < 2 or not len(valued):
        return Measurement(value, math.inf, count)
    low, high = np.quantile(valued, [0.025, 0.975])
    return Measurement(value, float(high - low) / 2, count)


def as_numbers(measurement: Measurement) -> dict[str, Any]:
    """Return a measurement for JSON; an infinite margin becomes null, since JSON has no infinity."""
    margin = measurement.margin if math.isfinite(measurement.margin) else None
    return {"value": measurement.value, "margin": margin, "count": measurement.count}


def measurement_json(measurement: Measurement) -> dict[str, float | int]:
    """Return the measurement of an accuracy for JSON."""
    return {"accuracy": measurement.value, "margin": measurement.margin, "count": measurement.count}
