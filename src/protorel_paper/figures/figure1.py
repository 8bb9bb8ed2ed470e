"""Figure 1: a map of statements with their prototypes as stars, and six of the statements to read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from protorel_paper.drawing import (
    HEAD,
    HEAD_LINE,
    INK,
    TAIL,
    TAIL_LINE,
    Caption,
    NumberedSentence,
    PointLabel,
    label_points,
    new_figure,
    paint_sentences,
    write_captioned,
)
from protorel_paper.figures.relation_space import RelationSpace
from protorel_paper.figures.star_map import StarMap, star_map
from protorel_paper.figures.star_map_drawing import (
    draw_star_map,
    fidelity_words,
    legend_mark,
    legend_marks,
    looks_of,
    star_labels,
    star_words,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RELATIONS = 12
"""More names could not be read."""
EACH = 40
WIDE, NARROW = 9.0, 4.5
"""Widths in inches: sentences are next to the map, or below it in a figure narrower than the mean of the two."""
_SHORT = 170
_RING = 3.5


def reproduce_figure1(space: RelationSpace, out: Path, *, seed: int = 0, width: float = WIDE) -> None:
    """Write figure1.png, .svg, .json and .md."""
    shown = space.first(RELATIONS)
    found = star_map(shown, seed=seed)
    chosen = six_statements(shown)
    figure = draw_figure1(shown, found, chosen, width=width)
    caption = Caption(
        "figure1",
        "statements and their prototypes",
        (
            f"{len(shown.statements)} statements of {len(shown.relations)} relations, up to {EACH} of each, drawn by "
            f"seed {seed}; the relations with the most statements were taken. {star_words(shown)}",
            fidelity_words(found, seed=seed),
            "The numbered statements are, of the first three relations, the nearest to the prototype and the farthest "
            "from it. The head is underlined by a solid line, the tail by a dashed one; the label that came with a "
            "statement follows it in brackets.",
        ),
        {"run": space.run, "statements": space.data},
    )
    numbers = {
        "seed": seed,
        "relations": list(shown.relations),
        "statements": len(shown.statements),
        "learned_prototypes": shown.learned,
        "map": found.as_json(),
        "run": space.run,
        "data": space.data,
    }
    write_captioned(figure, caption, numbers, out)


def six_statements(space: RelationSpace) -> list[int]:
    """Return, for three relations, the statement closest to the prototype and the one farthest from it.

    Short statements are preferred, since they can be read.
    """
    chosen = []
    for relation in range(min(3, len(space.relations))):
        mine = (space.own == relation).nonzero().flatten()
        brief = [index for index in mine.tolist() if len(space.statements[index].text) <= _SHORT] or mine.tolist()
        cosines = space.vectors[brief] @ space.prototypes[relation]
        ends = dict.fromkeys((int(cosines.argmax()), int(cosines.argmin())))
        chosen += [brief[place] for place in ends]
    return chosen


def draw_figure1(space: RelationSpace, found: StarMap, chosen: list[int], *, width: float = WIDE) -> Figure:
    """Draw the map with its names, and the chosen statements next to it, or below it in a narrow figure."""
    wide = width >= (WIDE + NARROW) / 2
    if wide:
        figure, (chart, text) = new_figure(2, width=width / 2, height=0.5 * width, across=(1.25, 1))
    else:
        figure, (chart, text) = new_figure(1, 2, width=width, height=0.95 * width)
    for axes in (chart, text):
        axes.set(xticks=[], yticks=[])
    looks = looks_of(space.names)
    handles = [
        *legend_marks(space),
        legend_mark("head", "s", HEAD, edge=HEAD_LINE),
        legend_mark("tail", "s", TAIL, edge=TAIL_LINE),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=5 if wide else 2, frameon=False, fontsize=8)
    draw_star_map(chart, space, found, looks)
    _ring(chart, found, chosen)
    own = space.own.tolist()
    paint_sentences(
        text,
        [NumberedSentence(space.statements[i], space.names[own[i]], looks[own[i]].colour) for i in chosen],
    )
    numbers = [
        PointLabel(f"{number}", (x, y), looks[own[i]].colour, reach=_RING)
        for number, (i, (x, y)) in enumerate(zip(chosen, found.statements[chosen].tolist(), strict=True), 1)
    ]
    label_points(chart, [*star_labels(found, looks), *numbers], avoid=found.statements, size=8 if wide else 7)
    return figure


def _ring(axes: Axes, found: StarMap, chosen: list[int]) -> None:
    at = found.statements[chosen]
    axes.scatter(at[:, 0], at[:, 1], s=(2 * _RING) ** 2, facecolors="none", edgecolors=INK, linewidths=0.9, zorder=5)
