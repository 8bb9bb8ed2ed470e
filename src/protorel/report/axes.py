"""Axes of the page's drawings: round ticks, and the place of a value between two ends."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Axis:
    """Values from `low` to `high`, drawn from pixel `start` to pixel `stop`; either may run downwards."""

    low: float
    high: float
    start: float
    stop: float
    logarithmic: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"the axis runs from {self.low} to {self.high}, two finite rising values are wanted")
        if self.logarithmic and self.low <= 0:
            raise ValueError(f"the logarithmic axis begins at {self.low}, a positive value is wanted")

    def place(self, value: float) -> float:
        """Return the pixel at which a value lies."""
        low, high = (math.log(self.low), math.log(self.high)) if self.logarithmic else (self.low, self.high)
        at = math.log(max(value, 1e-300)) if self.logarithmic else value
        return self.start + (at - low) / (high - low) * (self.stop - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Return round values inside the axis, about as many as wished."""
        if self.logarithmic:
            return self._logarithmic_ticks(about)
        step = _round_step((self.high - self.low) / max(about, 1))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]

    def _logarithmic_ticks(self, about: int) -> list[float]:
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for leading in ((1, 2, 5), (1, 3), (1,)):
            ticks = [m * 10.0**power for power in powers for m in leading if self.low <= m * 10.0**power <= self.high]
            if len(ticks) <= about + 2:
                return ticks
        return ticks[:: math.ceil(len(ticks) / about)]


def rising(low: float, high: float, *, room: float = 0.0) -> tuple[float, float]:
    """Return two ends that differ, with a share of their distance added on both sides."""
    size = max(abs(low), abs(high))
    if not high - low > max(1e-9 * size, 1e-30):
        half = size * 0.1 if size > 1e-20 else 1.0
        return low - half, low + half
    spare = (high - low) * room
    return low - spare, high + spare


def number(value: float, digits: int = 4) -> str:
    """Write a number as on an axis: short, and with a true minus sign."""
    if 10**digits <= abs(value) < 1e9:
        return f"{value:,.0f}".replace("-", "−")
    text = f"{0.0 if abs(value) < 1e-12 else value:.{digits}g}"
    return text.replace("e-0", "e-").replace("e+0", "e").replace("-", "−")


def _round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= step * (1 - 1e-9))
