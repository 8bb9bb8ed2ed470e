"""Figure 5: SemEval's test statements on a map, with a star for the prototype of each of its classes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from protorel.report import printed_colour
from protorel_paper.drawing import NAME, SOFT, Caption, label_points, new_figure, printed, write_captioned
from protorel_paper.figures.relation_space import RelationSpace
from protorel_paper.figures.star_map import StarMap, star_map
from protorel_paper.figures.star_map_drawing import (
    SHAPES,
    Look,
    draw_star_map,
    fidelity_words,
    legend_mark,
    legend_marks,
    star_labels,
    star_words,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASSES, EACH_CLASS = 24, 500
"""Limits for a readable map in a minute; SemEval has 19 classes, none with more test statements."""
WIDE = 7.0
_NARROW = 5.0
_NONE = "#8a929a"
_DIRECTED = re.compile(r"(.+)\((e1,e2|e2,e1)\)", flags=re.DOTALL)
_FORWARD, _BACKWARD = ("o", "1→2"), ("^", "2→1")


def reproduce_figure5(space: RelationSpace, out: Path, *, seed: int = 0, width: float = WIDE) -> None:
    """Write figure5.png, .svg, .json and .md."""
    found = star_map(space, seed=seed)
    caption = Caption(
        "figure5",
        "test statements and the prototypes of their classes",
        (
            f"{len(space.statements)} statements of {len(space.relations)} classes. {star_words(space)} A run that was "
            "tuned as a classifier keeps the mean of a class's training statements as its prototype.",
            fidelity_words(found, seed=seed),
        ),
        {"run": space.run, "statements": space.data},
    )
    numbers = {
        "seed": seed,
        "relations": list(space.relations),
        "statements": len(space.statements),
        "learned_prototypes": space.learned,
        "map": found.as_json(),
        "run": space.run,
        "data": space.data,
    }
    write_captioned(draw_figure5(space, found, width=width), caption, numbers, out)


def draw_figure5(space: RelationSpace, found: StarMap, *, width: float = WIDE) -> Figure:
    """Draw the map; both directions of a relation share its colour and differ in shape."""
    figure, (axes,) = new_figure(1, width=width, height=0.85 * width)
    looks = class_looks(space)
    handles = legend_marks(space)
    if any(_DIRECTED.fullmatch(relation) for relation in space.relations):
        arrows = [("from the first entity to the second", *_FORWARD), ("from the second to the first", *_BACKWARD)]
        handles[:1] = [legend_mark(f"{name} ({arrow})", shape, SOFT, edge="white") for name, shape, arrow in arrows]
    narrow = width < _NARROW
    size = 6.0 if narrow else 7.5
    figure.legend(
        handles=handles, loc="outside lower center", ncols=1 if narrow else 3, frameon=False, fontsize=size + 0.5
    )
    draw_star_map(axes, space, found, looks, scale=0.7 if narrow else 1.0)
    label_points(axes, star_labels(found, looks), avoid=found.statements, size=size)
    return figure


def class_looks(space: RelationSpace) -> list[Look]:
    """Return a look per class: one colour and two shapes for the two directions of a relation, grey for none."""
    colours: dict[str, str] = {}
    looks = []
    for place, (relation, name) in enumerate(zip(space.relations, space.names, strict=True)):
        if relation == space.no_relation:
            looks.append(Look(_NONE, "X", printed(name, NAME)))
            continue
        directed = _DIRECTED.fullmatch(relation)
        base = directed[1] if directed else relation
        colour = colours.setdefault(base, printed_colour(len(colours)))
        if directed:
            shape, arrow = _FORWARD if directed[2] == "e1,e2" else _BACKWARD
            looks.append(Look(colour, shape, f"{printed(base, NAME)} {arrow}"))
        else:
            looks.append(Look(colour, SHAPES[place % len(SHAPES)], printed(name, NAME)))
    return looks
