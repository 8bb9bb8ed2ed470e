"""A figure and how far it can be trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


@dataclass(frozen=True, slots=True)
class Measurement:
    """A mean with the half-width of its 95 % interval, over `count` draws."""

    value: float
    margin: float
    count: int

    def __str__(self) -> str:
        return f"{100 * self.value:.2f}% ± {100 * self.margin:.2f}% (n={self.count})"


def measure(values: ArrayLike) -> Measurement:
    """Return the mean of independent values with Student's 95 % interval, which is honest for a few of them too."""
    array = np.asarray(values, dtype=np.float64)
    count = len(array)
    if count == 0:
        raise ValueError("no value was given, at least one is wanted")
    if count == 1:
        return Measurement(float(array[0]), math.inf, 1)
    error = float(array.std(ddof=1)) / math.sqrt(count)
    return Measurement(float(array.mean()), float(stats.t.ppf(0.975, count - 1)) * error, count)
