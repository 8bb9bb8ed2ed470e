"""Figures for paper: drawn by matplotlib without a window, written as PNG and as SVG."""

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
    """The package that draws is not installed."""


_STYLE: dict[Any, Any] = {"svg.hashsalt": "protorel", "svg.fonttype": "none", "font.size": 9.0}
"""The same data give the same SVG, with text that can be searched."""
_DPI = 200
INK, SOFT, FAINT = "#1c2024", "#5b636b", "#b9bfc5"
"""Of what is said, of what is said beside it, and of lines behind all."""
NAME = 28
"""The most characters of a relation's name."""


def new_figure(
    columns: int,
    rows: int = 1,
    *,
    width: float = 4.2,
    height: float = 3.4,
    across: Sequence[float] | None = None,
    down: Sequence[float] | None = None,
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, row by row; nothing of pyplot, which keeps figures and asks for a window.

    Width and height are those of one of the axes, in inches; `across` and `down` say how they share the whole unevenly.
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
    """Write NAME.png and NAME.svg, each whole or not at all."""
    from matplotlib import rc_context

    for kind, metadata in (("png", {}), ("svg", {"Date": None})):
        with written_whole(folder / f"{name}.{kind}") as beside, rc_context(_STYLE):
            figure.savefig(beside, format=kind, dpi=_DPI, metadata=metadata)


def laid_out(axes: Axes) -> tuple[float, float]:
    """Let the layout be made, after which the axes stand still, and return their width and height in points."""
    figure: Any = axes.figure
    figure.draw_without_rendering()
    whole = axes.get_window_extent()
    return float(whole.width) * 72 / figure.dpi, float(whole.height) * 72 / figure.dpi


def bare(axes: Axes) -> None:
    """Take away axes that would say nothing: the units of a map mean nothing by themselves."""
    axes.set(xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def legend_below(figure: Figure, axes: Axes, *, title: str | None = None, columns: int = 4) -> None:
    """Name the curves of one of the axes below all of them, where nothing is hidden by it."""
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
        raise NoMatplotlib("drawing needs matplotlib; install it by: pip install 'protorel[paper]'") from problem
    return Figure, FigureCanvasAgg
