"""A star map in print: statements as small marks, prototypes as stars, and the words of its caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from protorel.report import printed_colour
from protorel_paper.drawing import INK, NAME, SOFT, PointLabel, bare, percent, printed
from protorel_paper.figures.relation_space import RelationSpace
from protorel_paper.figures.star_map import StarMap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

SHAPES = ("o", "s", "^", "D", "v", "P", "<", ">", "X", "d", "p", "h")
"""Marker shapes, one per relation of figure 1, so that colour is not the only difference; stars are prototypes."""
_DOT, _STAR = 11.0, 150.0


@dataclass(frozen=True, slots=True)
class Look:
    """How a relation is drawn, and the label of its star."""

    colour: str
    shape: str
    label: str


def looks_of(names: Sequence[str]) -> list[Look]:
    """Return a colour and a shape per relation; shapes repeat after `SHAPES`, colours do not."""
    return [
        Look(printed_colour(place), SHAPES[place % len(SHAPES)], printed(name, NAME))
        for place, name in enumerate(names)
    ]


def draw_star_map(
    axes: Axes, space: RelationSpace, found: StarMap, looks: Sequence[Look], *, scale: float = 1.0
) -> None:
    """Draw statements, hollow if the label is known to be wrong, and prototypes above them."""
    own = space.own.numpy()
    wrong = known_wrong(space)
    for place, look in enumerate(looks):
        for is_wrong in (False, True):
            at = found.statements[(own == place) & (wrong == is_wrong)]
            axes.scatter(
                at[:, 0],
                at[:, 1],
                s=_DOT * scale**2,
                marker=look.shape,
                facecolors="white" if is_wrong else look.colour,
                edgecolors=look.colour if is_wrong else "white",
                linewidths=0.7 if is_wrong else 0.25,
                zorder=2 if is_wrong else 3,
            )
    for (x, y), look in zip(found.stars, looks, strict=True):
        axes.scatter(x, y, s=_STAR * scale**2, marker="*", color=look.colour, edgecolors=INK, linewidths=0.8, zorder=6)
    bare(axes)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.06)


def star_labels(found: StarMap, looks: Sequence[Look]) -> list[PointLabel]:
    """Return the names of the stars."""
    return [
        PointLabel(look.label, (x, y), look.colour) for look, (x, y) in zip(looks, found.stars.tolist(), strict=True)
    ]


def known_wrong(space: RelationSpace) -> NDArray[np.bool_]:
    """Return which statements carry a label that is known to be wrong."""
    return np.array([statement.expresses is False for statement in space.statements], dtype=bool)


def legend_marks(space: RelationSpace) -> list[Line2D]:
    """Return the legend entries of every star map."""
    found = [legend_mark("statement", SHAPES[0], SOFT, edge="white")]
    if known_wrong(space).any():
        found.append(legend_mark("statement whose label is known to be wrong", SHAPES[0], "white", edge=SOFT))
    return [*found, legend_mark("prototype", "*", SOFT, size=10)]


def legend_mark(label: str, shape: str, colour: str, *, edge: str = INK, size: float = 5.5) -> Line2D:
    """Return one legend entry."""
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="", marker=shape, color=colour, markeredgecolor=edge, markersize=size, label=label)


def star_words(space: RelationSpace) -> str:
    """Return the part of a caption on stars and hollow marks."""
    if space.learned:
        stars = "Stars are the prototypes of the run."
    else:
        stars = "The run knows none of these relations: a star is the mean of the statements shown."
    wrong = int(known_wrong(space).sum())
    return f"{stars} Hollow marks: {wrong} statements whose label is known to be wrong." if wrong else stars


def fidelity_words(found: StarMap, *, seed: int) -> str:
    """Return the part of a caption on how the map was made, and how faithful it is."""
    kept, perplexity = found.fidelity, found.as_json()["perplexity"]
    return (
        f"Statements and stars were laid out together by t-SNE (perplexity {perplexity:g}, start from principal "
        f"components, seed {seed}). Of each point's ten nearest in the space, {percent(kept.neighbours_kept)} are "
        f"among its ten nearest here. The nearest prototype is that of the label for {percent(kept.own_in_space)} of "
        f"the statements in the space, and for {percent(kept.own_on_map)} on the map. Distances between far groups, "
        "and the size of groups, mean nothing."
    )
