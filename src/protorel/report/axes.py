"""Axes of the page's drawings: round ticks, the position of a value, and the frame around a drawing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from protorel.report.safe_text import safe

# In units of the drawing: the width of a character on a phone, where text is twice as large and titles are hidden;
# the page's margin, which a label may use there; the distance from a label to its line.
_LETTER = 13.5
_MARGIN = 20
_GAP = 8


@dataclass(frozen=True, slots=True)
class Axis:
    """Values from `low` to `high`, drawn from pixel `start` to pixel `stop`, which may be the smaller one."""

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
        """Return the pixel of a value; on a logarithmic axis, zero and less are infinitely far before the start."""
        low, high = (math.log(self.low), math.log(self.high)) if self.logarithmic else (self.low, self.high)
        at = value
        if self.logarithmic:
            at = math.log(value) if value > 0 else -math.inf
        return self.start + (at - low) / (high - low) * (self.stop - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Return about `about` round values inside the axis."""
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
        # Parsed from text: 10.0**power is off in the last digit, and overflows beyond the largest number.
        values = (float(f"{m}e{power}") for power in powers for m in leading)
        return [value for value in values if self.low <= value <= self.high]

    def labelled_ticks(self, about: int = 5) -> list[tuple[float, str]]:
        """Return the ticks with labels of as many digits as are needed to tell them apart."""
        ticks = self.ticks(about)
        near = 0.01 * (self.high - self.low) / max(len(ticks), 1)
        for digits in range(4, 18):
            labels = [number(tick, digits) for tick in ticks]
            if all(abs(_read(label) - tick) <= near for label, tick in zip(labels, ticks, strict=True)):
                break
        return list(zip(ticks, labels, strict=True))


def rising(low: float, high: float, *, room: float = 0.0) -> tuple[float, float]:
    """Return two different ends with a share of their distance added on both sides; 0 and 1 if both are zero."""
    size = max(abs(low), abs(high))
    if size < 1e-290:
        # Too small: a tenth of it would lose precision.
        return 0.0, 1.0
    if not high - low > 1e-9 * size:
        return low - size * 0.1, low + size * 0.1
    spare = (high - low) * room
    return low - spare, high + spare


def number(value: float, digits: int = 4) -> str:
    """Return a number as on an axis: short, with a true minus sign."""
    if 10**digits <= abs(value) < 1e9:
        return f"{value:,.0f}".replace("-", "−")
    text = f"{value:,.{digits}g}" if abs(value) >= 1e4 else f"{value or 0.0:.{digits}g}"
    return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e").replace("-", "−")


@dataclass(frozen=True, slots=True)
class Box:
    """Size of a drawing and the margins of its plotting area."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float

    @property
    def across(self) -> tuple[float, float]:
        """Left and right end of the plotting area."""
        return self.left, self.width - self.right

    @property
    def upwards(self) -> tuple[float, float]:
        """Bottom and top of the plotting area."""
        return self.height - self.bottom, self.top

    def with_room_for(self, y: Axis) -> Self:
        """Return the box with a left margin that fits the labels of an axis."""
        longest = max((len(text) for _, text in y.labelled_ticks()), default=0)
        return replace(self, left=max(self.left, longest * _LETTER + _GAP - _MARGIN))


def frame(box: Box, x: Axis, y: Axis, inner: str, *, label: str, x_title: str, y_title: str, clip: str = "") -> str:
    """Return an SVG with grid lines, ticks and titles around the inner drawing."""
    (left, right), (bottom, top) = box.across, box.upwards
    rows = "".join(_row(y.place(tick), text, left, right) for tick, text in y.labelled_ticks())
    columns = "".join(
        f'<text class="x" x="{x.place(tick):.1f}" y="{bottom + 19:.1f}">{text}</text>'
        for tick, text in x.labelled_ticks(6)
    )
    area = f'<clipPath id="{clip}"><path d="M{left},{top}H{right}V{bottom}H{left}z"/></clipPath>' if clip else ""
    size = f"0 0 {box.width:g} {box.height:g}"
    return f"""<svg class="drawing" viewBox="{size}" role="img" aria-label="{safe(label, 800)}">
<defs>{area}</defs>
<g class="grid">{rows}{columns}<path class="base" d="M{left},{bottom}H{right}"/></g>
{inner}
<text class="axis" x="{(left + right) / 2:.1f}" y="{box.height - 6:.1f}">{safe(x_title)}</text>
<text class="axis up" transform="translate(11,{(top + bottom) / 2:.1f}) rotate(-90)">{safe(y_title)}</text>
</svg>"""


def _row(at: float, text: str, left: float, right: float) -> str:
    return f'<path d="M{left},{at:.1f}H{right}"/><text class="y" x="{left - _GAP}" y="{at:.1f}">{text}</text>'


def _read(label: str) -> float:
    return float(label.replace(",", "").replace("−", "-"))


def _round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= step * (1 - 1e-9))
