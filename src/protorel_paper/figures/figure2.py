"""Figure 2: prototypes on the unit ball with their statements around them, drawn from a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from protorel.report import printed_colour
from protorel.statements import BadInput
from protorel_paper.drawing import (
    FAINT,
    INK,
    SOFT,
    Caption,
    PointLabel,
    bare,
    label_points,
    new_figure,
    percent,
    write_captioned,
)
from protorel_paper.figures.relation_space import RelationSpace
from protorel_paper.figures.star_map_drawing import Look, legend_mark, looks_of, star_words
from protorel_paper.figures.unit_ball import Points, UnitBall, unit_ball

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RELATIONS = 3
"""Three prototypes span the ball, so that their angles are exact."""
WIDE, NARROW = 7.0, 3.5
_TILT = np.radians(20)
_BINS = list(range(0, 181, 5))


def reproduce_figure2(space: RelationSpace, out: Path, *, width: float = WIDE) -> None:
    """Write figure2.png, .svg, .json and .md."""
    if len(space.relations) < RELATIONS or space.vectors.shape[1] < RELATIONS:
        raise BadInput(
            f"{space.data['name']}: expected at least {RELATIONS} relations and dimensions for figure 2, got "
            f"{len(space.relations)} and {space.vectors.shape[1]}"
        )
    shown = space.first(RELATIONS)
    ball = unit_ball(shown)
    kept = ball.survival
    caption = Caption(
        "figure2",
        "prototypes and statements on the unit ball",
        (
            f"{len(shown.statements)} statements of the three relations with the most statements. {star_words(shown)}",
            f"Left: of {space.vectors.shape[1]} dimensions the three that the prototypes span; every vector is "
            "projected on them and stretched to length 1. The angles between prototypes are kept (mean difference "
            f"{kept.prototype_angle_error:.1f}°). Of a statement's squared length the three directions hold "
            f"{percent(kept.squared_length)} on average, so statements seem nearer to their prototype than they are: "
            f"{kept.own_angle_drawn:.0f}° here, {kept.own_angle:.0f}° in the space. Pale marks lie on the far side.",
            "Right: the angles in the space itself, to the prototype of the label and to the two others.",
        ),
        {"run": space.run, "statements": space.data},
    )
    numbers = {
        "relations": list(shown.relations),
        "statements": len(shown.statements),
        "learned_prototypes": shown.learned,
        "ball": ball.as_json(),
        "run": space.run,
        "data": space.data,
    }
    write_captioned(draw_figure2(shown, ball, width=width), caption, numbers, out)


def draw_figure2(space: RelationSpace, ball: UnitBall, *, width: float = WIDE) -> Figure:
    """Draw the ball and, next to it or below, the angles in all dimensions."""
    wide = width >= (WIDE + NARROW) / 2
    if wide:
        figure, (globe, chart) = new_figure(2, width=width / 2, height=0.48 * width, across=(1.2, 1))
    else:
        figure, (globe, chart) = new_figure(1, 2, width=width, height=0.8 * width, down=(1.4, 1))
    looks = looks_of(space.names)
    _globe(globe)
    _points(globe, space, ball, looks)
    _histogram(chart, ball)
    handles = [
        legend_mark("statement", "o", SOFT, edge="white"),
        legend_mark("prototype", "*", SOFT, size=10),
    ]
    if (ball.statements[:, 2] < 0).any():
        handles.insert(1, legend_mark("statement on the far side", "o", FAINT, edge="white"))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=8, columnspacing=1.2)
    names = [
        PointLabel(look.label, (x, y), look.colour)
        for look, (x, y, _) in zip(looks, ball.prototypes.tolist(), strict=True)
    ]
    label_points(globe, names, avoid=ball.statements[:, :2])
    return figure


def _globe(axes: Axes) -> None:
    """Draw a ball with its circles of latitude and longitude, seen a little from above."""
    from matplotlib.patches import Circle

    axes.add_patch(Circle((0, 0), 1, facecolor="#f7f8fa", linewidth=0, zorder=0))
    axes.add_patch(Circle((0, 0), 1, fill=False, edgecolor=SOFT, linewidth=0.9, zorder=1.5))
    around = np.linspace(0, 2 * np.pi, 181)
    circles = [_latitude(np.radians(angle), around) for angle in (-60, -30, 0, 30, 60)]
    circles += [_longitude(np.radians(angle), around) for angle in range(0, 180, 30)]
    for circle in circles:
        front = np.where(circle[:, 2:] >= 0, circle[:, :2], np.nan)
        axes.plot(*front.T, color="#dfe3e7", linewidth=0.6, zorder=1)
    bare(axes)
    axes.set(xlim=(-1.25, 1.25), ylim=(-1.08, 1.08), aspect="equal")


def _latitude(angle: float, around: Points) -> Points:
    return _tilted(np.cos(angle) * np.sin(around), np.full_like(around, np.sin(angle)), np.cos(angle) * np.cos(around))


def _longitude(angle: float, around: Points) -> Points:
    return _tilted(np.cos(around) * np.sin(angle), np.sin(around), np.cos(around) * np.cos(angle))


def _tilted(x: Points, y: Points, z: Points) -> Points:
    return np.stack([x, y * np.cos(_TILT) - z * np.sin(_TILT), y * np.sin(_TILT) + z * np.cos(_TILT)], axis=1)


def _points(axes: Axes, space: RelationSpace, ball: UnitBall, looks: Sequence[Look]) -> None:
    own = space.own.numpy()
    for place, look in enumerate(looks):
        for in_front in (False, True):
            at = ball.statements[(own == place) & ((ball.statements[:, 2] >= 0) == in_front)]
            axes.scatter(
                at[:, 0],
                at[:, 1],
                s=15,
                marker=look.shape,
                color=look.colour,
                alpha=0.9 if in_front else 0.25,
                edgecolors="white",
                linewidths=0.3,
                zorder=4 if in_front else 2,
            )
        x, y = ball.prototypes[place, :2].tolist()
        axes.plot([0, x], [0, y], color=look.colour, linewidth=1.3, zorder=5)
        axes.scatter(x, y, s=170, marker="*", color=look.colour, edgecolors=INK, linewidths=0.8, zorder=6)
    axes.scatter(0, 0, s=14, color=INK, zorder=6)


def _histogram(axes: Axes, ball: UnitBall) -> None:
    """Draw the angles of statements to their own prototype and to the others, in the full space."""
    for angles, colour, label, hatch in (
        (ball.own_angles, printed_colour(3), "to the label's prototype", None),
        (ball.other_angles, SOFT, "to another prototype", "////"),
    ):
        share = np.full(len(angles), 100 / max(len(angles), 1))
        axes.hist(angles, _BINS, weights=share, histtype="stepfilled", fc=colour, ec=colour, alpha=0.3, hatch=hatch)
        axes.hist(angles, _BINS, weights=share, histtype="step", color=colour, linewidth=1.4, label=label)
    axes.set_xlabel("angle in the space, degrees", fontsize=8.5)
    axes.set_ylabel("statements, %", fontsize=8.5)
    axes.set(xlim=(0, 180), xticks=[0, 45, 90, 135, 180])
    axes.tick_params(labelsize=8, colors=SOFT)
    axes.legend(fontsize=8, loc="upper right", facecolor="white", edgecolor="none", framealpha=1)
