"""The frame of a drawing: its box, its ticks and the titles of its axes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from protorel.report.axes import Axis
from protorel.report.safe_text import safe

# In units of the drawing: a letter of a label on a phone, where letters are twice as large and the title is hidden;
# the page's margin, into which a label may reach there; the distance from a label to its line.
_LETTER = 13.5
_MARGIN = 20
_GAP = 8


@dataclass(frozen=True, slots=True)
class Box:
    """A drawing's size and the room around its plotting area."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float

    @property
    def across(self) -> tuple[float, float]:
        """The plotting area from left to right."""
        return self.left, self.width - self.right

    @property
    def upwards(self) -> tuple[float, float]:
        """The plotting area from bottom to top."""
        return self.height - self.bottom, self.top

    def with_room_for(self, y: Axis) -> Self:
        """Return the box with enough room on its left for the labels of an axis."""
        longest = max((len(text) for _, text in y.labelled_ticks()), default=0)
        return replace(self, left=max(self.left, longest * _LETTER + _GAP - _MARGIN))


def frame(box: Box, x: Axis, y: Axis, inner: str, *, label: str, x_title: str, y_title: str, clip: str = "") -> str:
    """Return an SVG with grid lines, ticks and titles around what is drawn inside."""
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
