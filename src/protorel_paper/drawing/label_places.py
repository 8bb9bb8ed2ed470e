"""Labels of the stars of a map, placed so that they do not overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HEIGHT, STAR, _CHARACTER = 15.0, 9.0, 7.8
"""Height of a label, radius of a star, width of a character."""
_ON_DOT, _FARTHER = 1.0, 0.2
"""Cost of covering a dot, and of trying the next position: a label far away is as bad as one on a dot."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """An occupied part of the drawing."""

    left: float
    top: float
    right: float
    bottom: float

    def shared(self, other: Rectangle) -> float:
        """Return the area that two rectangles share."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(across, 0.0) * max(down, 0.0)

    def holds(self, places: NDArray[np.float64]) -> int:
        """Count the places that lie in the rectangle."""
        x, y = places.T
        return int(((self.left < x) & (x < self.right) & (self.top < y) & (y < self.bottom)).sum())


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """A label, its centre, and whether it is so far from its star that a line must lead to it."""

    text: str
    x: float
    y: float
    led: bool


def place_labels(
    stars: Sequence[tuple[float, float]],
    names: Sequence[str],
    *,
    width: float,
    height: float,
    lengths: Sequence[float] | None = None,
    reaches: Sequence[float] | None = None,
    dots: Sequence[tuple[float, float]] = (),
) -> list[PlacedLabel]:
    """Place each name near its star: at the first free position, or at the one that covers least.

    Args:
        stars: Positions of the stars.
        names: Their labels.
        width: Width of the drawing.
        height: Height of the drawing.
        lengths: Measured widths of the labels; by default estimated from the number of characters.
        reaches: Radius of each star; by default `STAR`.
        dots: Points to avoid; covering one is far less bad than covering another label.
    """
    whole = Rectangle(0, 0, width, height)
    lengths = lengths or [len(name) * _CHARACTER for name in names]
    reaches = reaches or [STAR] * len(stars)
    taken = [Rectangle(x - r, y - r, x + r, y + r) for (x, y), r in zip(stars, reaches, strict=True)]
    places = np.asarray(dots, dtype=np.float64).reshape(-1, 2)
    labels = []
    for (x, y), name, length, reach in zip(stars, names, lengths, reaches, strict=True):
        best: tuple[float, float, float, Rectangle] | None = None
        half = (length + 4) / 2
        for turn, (across, down) in enumerate(_offsets(half, reach)):
            spot = Rectangle(x + across - half, y + down - HEIGHT / 2, x + across + half, y + down + HEIGHT / 2)
            outside = 2 * half * HEIGHT - spot.shared(whole)
            hidden = sum(spot.shared(other) for other in taken) + 10 * outside + _ON_DOT * spot.holds(places)
            cost = hidden + _FARTHER * turn
            if best is None or cost < best[0]:
                best = (cost, across, down, spot)
            if hidden == 0:
                break
        if best is None:
            continue
        _, across, down, spot = best
        taken.append(spot)
        labels.append(PlacedLabel(name, x + across, y + down, led=max(abs(across) - half, abs(down)) > 2.2 * HEIGHT))
    return labels


def _offsets(half: float, reach: float) -> list[tuple[float, float]]:
    """Return possible positions of a label relative to its star, the best first."""
    side = half + reach + 2
    first = 0.65 * HEIGHT + reach
    rows = [sign * (first + step * HEIGHT) for step in (0, 1.05, 2.15, 3.25) for sign in (1, -1)]
    near = [(side, 0.0), (-side, 0.0)]
    return near + [(shift, down) for down in rows for shift in (0.0, half * 0.7, -half * 0.7, side, -side)]
