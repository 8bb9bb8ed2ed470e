"""Axes of the page's drawings: round ticks, and the place of a value between two ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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
            raise ValueError(f"axis: expected two finite rising ends, got {self.low} and {self.high}")
        if self.logarithmic and self.low <= 0:
            raise ValueError(f"logarithmic axis: expected a positive start, got {self.low}")

    def place(self, value: float) -> float:
        """Return the pixel at which a value lies; zero and less lie infinitely far before a logarithmic axis."""
        low, high = (math.log(self.low), math.log(self.high)) if self.logarithmic else (self.low, self.high)
        at = value
        if self.logarithmic:
            at = math.log(value) if value > 0 else -math.inf
        return self.start + (at - low) / (high - low) * (self.stop - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Return round values inside the axis, about as many as wished."""
        if self.logarithmic:
            return self._logarithmic_ticks(about)
        step = _round_step((self.high - self.low) / max(about, 1))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]

    def _logarithmic_ticks(self, about: int) -> list[float]:
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        for leading in ((1, 2, 5), (1, 3), (1,)):
            ticks = self._inside(leading, range(first, last + 1))
            if len(ticks) <= about + 2:
                return ticks
        # Many powers of ten: round powers only, such as every tenth.
        step = round(_round_step((last - first) / max(about, 1)))
        return self._inside((1,), range(math.ceil(first / step) * step, last + 1, step))

    def _inside(self, leading: Sequence[int], powers: Iterable[int]) -> list[float]:
        # Read as text: 10.0**power is off in the last digit, and breaks beyond the largest number.
        values = (float(f"{m}e{power}") for power in powers for m in leading)
        return [value for value in values if self.low <= value <= self.high]

    def labelled_ticks(self, about: int = 5) -> list[tuple[float, str]]:
        """Return the ticks with their labels, in as many digits as it takes to say where they are."""
        ticks = self.ticks(about)
        near = 0.01 * (self.high - self.low) / max(len(ticks), 1)
        for digits in range(4, 18):
            labels = [number(tick, digits) for tick in ticks]
            if all(abs(_read(label) - tick) <= near for label, tick in zip(labels, ticks, strict=True)):
                break
        return list(zip(ticks, labels, strict=True))


def rising(low: float, high: float, *, room: float = 0.0) -> tuple[float, float]:
    """Return two ends that differ, with a share of their distance added on both sides; 0 to 1 for zeros alone."""
    size = max(abs(low), abs(high))
    if size < 1e-290:
        # Too small for a tenth of it to be a number of full precision.
        return 0.0, 1.0
    if not high - low > 1e-9 * size:
        return low - size * 0.1, low + size * 0.1
    spare = (high - low) * room
    return low - spare, high + spare


def number(value: float, digits: int = 4) -> str:
    """Write a number as on an axis: short, and with a true minus sign."""
    if 10**digits <= abs(value) < 1e9:
        return f"{value:,.0f}".replace("-", "−")
    text = f"{value:,.{digits}g}" if abs(value) >= 1e4 else f"{value or 0.0:.{digits}g}"
    return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e").replace("-", "−")


def _read(label: str) -> float:
    return float(label.replace(",", "").replace("−", "-"))


def _round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= step * (1 - 1e-9))
