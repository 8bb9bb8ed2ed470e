"""Series of numbers from a run's journal; values that cannot be drawn are skipped."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MOST_DRAWN = 400
_MOST_TERMS = 8


@dataclass(frozen=True, slots=True)
class Series:
    """One quantity over the steps of a run."""

    name: str
    steps: NDArray[np.float64]
    values: NDArray[np.float64]

    def smoothed(self) -> NDArray[np.float64]:
        """Return the mean over a window around each step; near the ends the window is shorter."""
        count = len(self.values)
        half = count // 24
        rows = np.arange(count)
        first, last = np.maximum(rows - half, 0), np.minimum(rows + half + 1, count)
        means: NDArray[np.float64] = _sums(self.values, first, last) / (last - first)
        # A mean is within the range of its values, whatever the rounding.
        return np.clip(means, self.values.min(), self.values.max())

    def drawn(self) -> NDArray[np.intp]:
        """Return the rows to draw: all of a short journal, evenly spaced ones of a long one."""
        count = len(self.values)
        return np.unique(np.linspace(0, count - 1, min(count, _MOST_DRAWN)).round().astype(np.intp))


Steps = Sequence[tuple[float, Mapping[str, object]]]
"""Lines of a journal, each with the number of its step."""


def numbered(journal: Sequence[Mapping[str, object]]) -> Steps:
    """Return the lines that have a step."""
    return [(step, line) for line in journal if (step := _number(line.get("step"))) is not None]


def loss_series(steps: Steps) -> list[Series]:
    """Return the loss terms in order of appearance, preceded by their sum if there are several."""
    found: dict[str, list[tuple[float, float]]] = {}
    for step, line in steps:
        terms = line.get("terms")
        for name, value in terms.items() if isinstance(terms, Mapping) else ():
            _keep(found, str(name), step, value)
    terms_found = [series for name, pairs in found.items() if (series := _series(name, pairs))][:_MOST_TERMS]
    total = quantity(steps, "loss")
    return [total, *terms_found] if total and len(terms_found) != 1 else terms_found


def quantity(steps: Steps, key: str, name: str = "") -> Series | None:
    """Return a quantity of the journal; None if fewer than two steps have it."""
    found: dict[str, list[tuple[float, float]]] = {}
    for step, line in steps:
        _keep(found, key, step, line.get(key))
    return _series(name or key, found.get(key, []))


def _sums(values: NDArray[np.float64], first: NDArray[np.intp], last: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the sum of each window `values[first:last]`.

    A window is assembled from sums of 1, 2, 4, … values. Differences of cumulative sums would be shorter, but a single
    loss of 1e20 makes them wrong by thousands to the end of the journal.
    """
    sums, start, width, blocks = np.zeros(len(first)), first.copy(), 1, values
    while width <= int((last - first).max()):
        rows = np.flatnonzero((last - first) & width)
        sums[rows] += blocks[start[rows]]
        start[rows] += width
        blocks = blocks[:-width] + blocks[width:]
        width *= 2
    return sums


def _keep(found: dict[str, list[tuple[float, float]]], name: str, step: float, value: object) -> None:
    number = _number(value)
    if number is not None:
        found.setdefault(name, []).append((step, number))


def _series(name: str, pairs: list[tuple[float, float]]) -> Series | None:
    if len({step for step, _ in pairs}) < 2:
        return None
    steps, values = np.asarray(sorted(pairs, key=lambda pair: pair[0])).T
    return Series(name, steps, values)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    # Beyond this, sums overflow and an axis has no round ticks; no real loss is that large.
    return number if math.isfinite(number) and abs(number) < 1e30 else None
