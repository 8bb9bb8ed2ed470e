"""The plot of figure 6: boundaries of instances and of prototypes, with true and with partly wrong labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from protorel.report import printed_colour
from protorel_paper.drawing import FAINT, INK, SOFT, new_figure, write_figure
from protorel_paper.figures.iris import Flowers, IrisStudy
from protorel_paper.figures.linear_boundary import Boundary, Labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = (printed_colour(0), printed_colour(1))
_MARKS = ("o", "s")
_OTHER_DRAWS = 60
"""Number of further boundaries, drawn faintly in the background."""
_ROOM = 0.25


def write_decision_boundaries(study: IrisStudy, folder: Path) -> None:
    """Write figure6.png and figure6.svg."""
    write_figure(draw_decision_boundaries(study), folder, "figure6")


def draw_decision_boundaries(study: IrisStudy) -> Figure:
    """Draw four panels: the two classifiers down, true and partly wrong labels across, with equal axes."""
    figure, panels = new_figure(2, 2, width=4.4, height=2.8)
    shown = study.shown
    letters = iter("abcd")
    for row, name in enumerate(study.clean):
        truth, noise = panels[2 * row : 2 * row + 2]
        distortion, clean = shown.distortion[name], study.clean[name]
        accuracy = (clean(study.flowers.points) == study.flowers.labels).mean()
        _points(truth, study.flowers, study.flowers.labels)
        _boundary(truth, clean, clean)
        _title(truth, f"({next(letters)}) {name}-level, true labels", f"{100 * accuracy:.1f} % of the flowers right")
        _points(noise, study.flowers, shown.labels[0])
        _boundary(noise, shown.boundaries[name][0], clean, others=shown.boundaries[name][1 : 1 + _OTHER_DRAWS])
        _title(
            noise,
            f"({next(letters)}) {name}-level, {100 * shown.rate:.0f} % of the labels wrong",
            f"turned by {distortion.rotation.value:.1f} ± {distortion.rotation.margin:.1f}°, moved by "
            f"{distortion.shift.value:.3f} ± {distortion.shift.margin:.3f} cm",
        )
        if name == "prototype":
            _stars(truth, study.flowers, study.flowers.labels)
            _stars(noise, study.flowers, shown.labels[0])
    _frame(panels, study.flowers)
    _legend(figure, study.flowers)
    return figure


def _points(axes: Axes, flowers: Flowers, labels: Labels) -> None:
    """Draw each flower in the colour and shape of its label; a ring marks a wrong label."""
    wrong = labels != flowers.labels
    for kind in (False, True):
        for is_wrong in (False, True):
            places = flowers.points[(labels == kind) & (wrong == is_wrong)]
            axes.scatter(
                places[:, 0],
                places[:, 1],
                s=26 if is_wrong else 17,
                marker=_MARKS[kind],
                color=_COLOURS[kind],
                edgecolors=INK if is_wrong else "white",
                linewidths=1.1 if is_wrong else 0.4,
                zorder=4 if is_wrong else 3,
            )


def _stars(axes: Axes, flowers: Flowers, labels: Labels) -> None:
    for kind in (False, True):
        x, y = flowers.points[labels == kind].mean(axis=0)
        axes.scatter(x, y, s=190, marker="*", color=_COLOURS[kind], edgecolors=INK, linewidths=1.0, zorder=6)


def _boundary(axes: Axes, boundary: Boundary, clean: Boundary, *, others: Sequence[Boundary] = ()) -> None:
    for other in others:
        axes.axline(*_two_points(other), color=FAINT, linewidth=0.5, zorder=1)
    if boundary is not clean:
        axes.axline(*_two_points(clean), color=SOFT, linewidth=1.3, linestyle=(0, (4, 2)), zorder=5)
    axes.axline(*_two_points(boundary), color=INK, linewidth=1.8, zorder=5)


def _two_points(boundary: Boundary) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return two points of a line, whatever its direction."""
    start = boundary.closest(np.zeros(2))
    along = np.array([-boundary.weights[1], boundary.weights[0]]) / np.linalg.norm(boundary.weights)
    (x, y), (further_x, further_y) = start.tolist(), (start + along).tolist()
    return (x, y), (further_x, further_y)


def _title(axes: Axes, title: str, below: str) -> None:
    """Write two lines above a panel, at a distance in points that does not depend on its size."""
    for text, height, size, colour in ((title, 15, 9.5, INK), (below, 4, 8, SOFT)):
        axes.annotate(
            text, (0, 1), (0, height), xycoords="axes fraction", textcoords="offset points", fontsize=size, color=colour
        )


def _frame(panels: Sequence[Axes], flowers: Flowers) -> None:
    low, high = flowers.points.min(axis=0) - _ROOM, flowers.points.max(axis=0) + _ROOM
    for number, axes in enumerate(panels):
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        axes.grid(visible=False)
        axes.set_yticks(np.arange(np.ceil(low[1] * 2) / 2, high[1], 0.5))
        axes.tick_params(labelsize=8, colors=SOFT, labelbottom=number >= 2, labelleft=number % 2 == 0)
        if number >= 2:
            axes.set_xlabel(flowers.features[0], fontsize=8.5)
        if number % 2 == 0:
            axes.set_ylabel(flowers.features[1], fontsize=8.5)


def _legend(figure: Figure, flowers: Flowers) -> None:
    from matplotlib.lines import Line2D

    def mark(label: str, shape: str, colour: str, edge: str, size: float) -> Line2D:
        return Line2D(
            [], [], linestyle="", marker=shape, color=colour, markeredgecolor=edge, markersize=size, label=label
        )

    handles = [
        mark(f"labelled {flowers.kinds[0]}", _MARKS[0], _COLOURS[0], "white", 6),
        mark(f"labelled {flowers.kinds[1]}", _MARKS[1], _COLOURS[1], "white", 6),
        mark("wrong label", "o", "white", INK, 6),
        mark("prototype", "*", "white", INK, 11),
        Line2D([], [], color=INK, linewidth=1.8, label="boundary"),
        Line2D([], [], color=SOFT, linewidth=1.3, linestyle=(0, (4, 2)), label="boundary by true labels"),
        Line2D([], [], color=FAINT, linewidth=1.0, label="by other wrong labels"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=8.5, columnspacing=2.2)
