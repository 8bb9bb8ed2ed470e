"""Figures for print: drawn by matplotlib without a window, written as PNG and SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protorel.io import written_whole
from protorel.statements import BadInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class NoMatplotlib(BadInput):
    """Matplotlib is not installed."""


_STYLE: dict[Any, Any] = {"svg.hashsalt": "protorel", "svg.fonttype": "none", "font.size": 9.0}
"""The same data give the same SVG, and its text can be searched."""
_DPI = 200
INK, SOFT, FAINT = "#1c2024", "#5b636b", "#b9bfc5"
"""Colours of text and lines: main, secondary, background."""
NAME = 28
"""Longest shown name of a relation, in characters."""
MARKS = ("o", "s", "^", "D", "v", "P", "X")
"""Marker shapes of curves, so that colour is not the only difference."""


def new_figure(
    columns: int,
    rows: int = 1,
    *,
    width: float = 4.2,
    height: float = 3.4,
    across: Sequence[float] | None = None,
    down: Sequence[float] | None = None,
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, row by row, without pyplot, which keeps figures and needs a window.

    Args:
        columns: Number of columns.
        rows: Number of rows.
        width: Width of one of the axes, in inches.
        height: Height of one of the axes, in inches.
        across: Relative widths of the columns, if they differ.
        down: Relative heights of the rows, if they differ.
    """
    figure_kind, canvas_kind = _matplotlib()
    figure = figure_kind(figsize=(width * columns, height * rows), layout="constrained")
    canvas_kind(figure)
    axes = figure.subplots(rows, columns, squeeze=False, width_ratios=across, height_ratios=down)
    for one in axes.flat:
        one.spines[["top", "right"]].set_visible(False)
        one.grid(axis="y", color="#dddddd", linewidth=0.6)
        one.set_axisbelow(True)
    return figure, list(axes.flat)


def write_figure(figure: Figure, folder: Path, name: str) -> None:
    """Write NAME.png and NAME.svg, each atomically."""
    from matplotlib import rc_context

    for kind, metadata in (("png", {}), ("svg", {"Date": None})):
        with written_whole(folder / f"{name}.{kind}") as place, rc_context(_STYLE):
            figure.savefig(place, format=kind, dpi=_DPI, metadata=metadata)


def laid_out(axes: Axes) -> tuple[float, float]:
    """Fix the layout, and return the width and height of the axes in points."""
    figure: Any = axes.figure
    figure.draw_without_rendering()
    whole = axes.get_window_extent()
    return float(whole.width) * 72 / figure.dpi, float(whole.height) * 72 / figure.dpi


def bare(axes: Axes) -> None:
    """Hide ticks, grid and spines: the units of a map have no meaning."""
    axes.set(xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def legend_below(figure: Figure, axes: Axes, *, title: str | None = None, columns: int = 4) -> None:
    """Put the legend of one of the axes below all of them, where it hides nothing."""
    handles, names = axes.get_legend_handles_labels()
    ncols = min(columns, len(names))
    below = figure.legend(
        handles, names, title=title, loc="outside lower center", ncols=ncols, frameon=False, fontsize=9
    )
    below.get_title().set_fontsize(9)


def _matplotlib() -> tuple[Any, Any]:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as problem:
        raise NoMatplotlib("drawing needs matplotlib; install it with: pip install 'protorel[paper]'") from problem
    return Figure, FigureCanvasAgg
