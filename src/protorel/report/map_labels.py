"""Names beside the stars of a map, placed so that they do not lie on one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_HEIGHT, _CHARACTER, _STAR = 15.0, 7.8, 9.0


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A part of the drawing that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def shared(self, other: Rectangle) -> float:
        """Return the area that two rectangles share."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(across, 0.0) * max(down, 0.0)


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """A name, where its middle lies, and whether it is so far from its star that a line must lead to it."""

    text: str
    x: float
    y: float
    led: bool


def place_labels(
    stars: Sequence[tuple[float, float]], names: Sequence[str], *, width: float, height: float
) -> list[PlacedLabel]:
    """Put each name near its star: the first free place, or else the one that covers least."""
    whole = Rectangle(0, 0, width, height)
    taken = [Rectangle(x - _STAR, y - _STAR, x + _STAR, y + _STAR) for x, y in stars]
    labels = []
    for (x, y), name in zip(stars, names, strict=True):
        best: tuple[float, float, float, Rectangle] | None = None
        half = (len(name) * _CHARACTER + 4) / 2
        for across, down in _offsets(half):
            spot = Rectangle(x + across - half, y + down - _HEIGHT / 2, x + across + half, y + down + _HEIGHT / 2)
            outside = 2 * half * _HEIGHT - spot.shared(whole)
            cost = sum(spot.shared(other) for other in taken) + 10 * outside
            if best is None or cost < best[0]:
                best = (cost, across, down, spot)
            if cost == 0:
                break
        if best is None:
            continue
        _, across, down, spot = best
        taken.append(spot)
        labels.append(PlacedLabel(name, x + across, y + down, led=max(abs(across) - half, abs(down)) > 2.2 * _HEIGHT))
    return labels


def _offsets(half: float) -> list[tuple[float, float]]:
    """Return where a name may lie relative to its star, the most natural places first."""
    side = half + _STAR + 2
    rows = [(reach * _HEIGHT, reach) for reach in (1.25, -1.25, 2.3, -2.3, 3.4, -3.4, 4.5, -4.5)]
    near = [(side, 0.0), (-side, 0.0)]
    return near + [(shift, down) for down, _ in rows for shift in (0.0, half * 0.7, -half * 0.7, side, -side)]
