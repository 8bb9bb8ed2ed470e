"""Labels of points in a printed figure, measured as they are drawn so that none overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from protorel_paper.drawing.label_places import HEIGHT as LABEL_HEIGHT
from protorel_paper.drawing.label_places import place_labels
from protorel_paper.drawing.printed_figure import laid_out
from protorel_paper.drawing.printed_text import em_width, printed_font

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STAR_REACH = 6.5
_PADDING = 0.6


@dataclass(frozen=True, slots=True)
class PointLabel:
    """A text, the point that it labels, and the radius of the point's mark in font points."""

    text: str
    at: tuple[float, float]
    colour: str
    reach: float = STAR_REACH


def label_points(axes: Axes, labels: Sequence[PointLabel], *, avoid: NDArray[np.float64], size: float = 8.0) -> None:
    """Write each text near its point on a white background, if possible on none of the points to avoid.

    Call it when everything else is drawn.
    """
    width, height = laid_out(axes)
    dots = 72 / axes.figure.dpi
    unit = size * 1.45 / LABEL_HEIGHT
    whole = axes.get_window_extent()

    def on_paper(places: ArrayLike) -> list[tuple[float, float]]:
        seen = axes.transData.transform(places)
        return [((x - whole.x0) * dots / unit, (whole.y1 - y) * dots / unit) for x, y in seen.tolist()]

    at = on_paper([label.at for label in labels])
    found = place_labels(
        at,
        [label.text for label in labels],
        width=width / unit,
        height=height / unit,
        lengths=[size * em_width(label.text) / unit for label in labels],
        reaches=[label.reach / unit for label in labels],
        dots=on_paper(avoid),
    )
    for placed, (x, y), label in zip(found, at, labels, strict=True):
        axes.annotate(
            placed.text,
            label.at,
            ((placed.x - x) * unit, (y - placed.y) * unit),
            textcoords="offset points",
            ha="center",
            va="center",
            color=label.colour,
            fontproperties=printed_font(size),
            bbox={"boxstyle": f"round,pad={_PADDING / size:.3f}", "facecolor": "white", "alpha": 0.8, "linewidth": 0},
            arrowprops={"arrowstyle": "-", "color": label.colour, "linewidth": 0.6} if placed.led else None,
            zorder=9,
        ).set_in_layout(False)
