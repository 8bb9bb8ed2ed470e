"""The map: statements coloured by relation, prototypes as stars with the name of their relation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from protorel.report.content import MapPoint
from protorel.report.map_labels import PlacedLabel, place_labels
from protorel.report.painted import Piece, pieces
from protorel.report.palette import colour_class, outlines, shape_name
from protorel.report.safe_text import safe, short

MOST_POINTS = 2000
_MOST_STARS = 128
_WIDTH, _LOWEST, _HIGHEST, _EDGE = 960.0, 420.0, 760.0, 26.0
_NAME = 48


@dataclass(frozen=True, slots=True)
class _Placed:
    point: MapPoint
    x: float
    y: float


def map_section(points: Sequence[MapPoint], note: str, names: Mapping[str, str]) -> str:
    """Return the section with the map; an empty string if no point has finite coordinates."""
    drawn = _chosen([point for point in points if math.isfinite(point.x) and math.isfinite(point.y)])
    if not drawn:
        return ""
    placed, height = _place(drawn)
    relations = _relations(drawn)
    name_of = {relation: short(names.get(relation) or relation, _NAME) for relation in relations}
    dots = [p for p in placed if not p.point.is_prototype]
    stars = [p for p in placed if p.point.is_prototype]
    label = f"Map of {len(dots)} statements and {len(stars)} prototypes of {len(relations)} relations"
    left_out = f" {len(drawn):,} of {len(points):,} points are shown." if len(drawn) < len(points) else ""
    return f"""<section aria-labelledby="map">
<h2 id="map">Map</h2>
<p class="note">{safe(note, 1000)}{left_out}</p>
<div class="map">
<svg class="drawing" viewBox="0 0 {_WIDTH:g} {height:.0f}" role="img" aria-label="{safe(label)}">
<defs>{"".join(f'<path id="shape-{shape}" d="{path}"/>' for shape, path in outlines().items())}</defs>
<g class="points">
{_dots(dots, relations, name_of)}
</g>
<g class="stars">{_stars(stars, relations, name_of)}</g>
<g class="names">{_names(stars, relations, name_of, height)}</g>
<circle class="ring" r="9" cx="-99" cy="-99"/>
</svg>
<div class="steps" hidden><button type="button">← previous</button><button type="button">next →</button></div>
<div class="panel" aria-live="polite"><p class="quiet">Point at a statement to read it.</p></div>
<ul class="relations" aria-label="Relations on the map">{_legend(dots, relations, name_of)}</ul>
{_hollow_note(dots)}
</div>
</section>"""


def _relations(points: Sequence[MapPoint]) -> dict[str, int]:
    """Return the relations of a map, numbered in order of appearance, those with a prototype first."""
    ordered = sorted(points, key=lambda point: not point.is_prototype)
    return {relation: index for index, relation in enumerate(dict.fromkeys(point.relation for point in ordered))}


def _chosen(points: list[MapPoint]) -> list[MapPoint]:
    """Return the prototypes, and as many statements as a page can show, spread evenly over the list."""
    stars = [point for point in points if point.is_prototype][:_MOST_STARS]
    dots = [point for point in points if not point.is_prototype]
    if len(dots) > MOST_POINTS:
        dots = [dots[number * len(dots) // MOST_POINTS] for number in range(MOST_POINTS)]
    return dots + stars


def _place(points: Sequence[MapPoint]) -> tuple[list[_Placed], float]:
    """Fit the points into the drawing with one scale for both axes, so that distances can be compared."""
    lows = min(point.x for point in points), min(point.y for point in points)
    highs = max(point.x for point in points), max(point.y for point in points)
    wide, high = (max(most / 2 - least / 2, 1e-12) for least, most in zip(lows, highs, strict=True))
    room = _WIDTH - 2 * _EDGE
    height = min(max(high * (room / wide) + 2 * _EDGE, _LOWEST), _HIGHEST)
    scale = min(room / wide, (height - 2 * _EDGE) / high)
    middles = [least / 2 + most / 2 for least, most in zip(lows, highs, strict=True)]

    def at(point: MapPoint) -> _Placed:
        # Computed in halves: the difference of two finite numbers may overflow.
        across, up = point.x / 2 - middles[0] / 2, point.y / 2 - middles[1] / 2
        return _Placed(point, _WIDTH / 2 + across * scale, height / 2 - up * scale)

    return [at(point) for point in points], height


def _dots(dots: Sequence[_Placed], relations: Mapping[str, int], name_of: Mapping[str, str]) -> str:
    marks: dict[str, list[str]] = {}
    for p in dots:
        relation = p.point.relation
        marks.setdefault(relation, []).append(_dot(p, relations[relation], name_of[relation]))
    return "\n".join(
        f'<g class="{colour_class(relations[relation])}" data-relation="{relations[relation]}" '
        f'data-name="{escape(name_of[relation])}">{"".join(own)}</g>'
        for relation, own in marks.items()
    )


def _dot(placed: _Placed, index: int, name: str) -> str:
    statement = placed.point.statement
    wrong = ' class="wrong"' if statement is not None and statement.expresses is False else ""
    start = f'<use href="#shape-{shape_name(index)}" x="{placed.x:.1f}" y="{placed.y:.1f}"{wrong}'
    if statement is None:
        return f"{start}><title>{escape(name)}</title></use>"
    cut = pieces(statement)
    text = "".join(piece.text for piece in cut)
    return f'{start} data-marks="{_marks(cut)}"><title>{escape(f"{name}: {text}")}</title></use>'


def _marks(cut: Sequence[Piece]) -> str:
    """Return which parts of the title to mark, counted in UTF-16 units as in JavaScript."""
    marks, at = [], 0
    for piece in cut:
        units = len(piece.text.encode("utf-16-le")) // 2
        if piece.role:
            marks.append(f"{at} {at + units} {piece.role}")
        at += units
    return ",".join(marks)


def _stars(stars: Sequence[_Placed], relations: Mapping[str, int], name_of: Mapping[str, str]) -> str:
    return "".join(
        f'<use class="{colour_class(relations[p.point.relation])}" data-relation="{relations[p.point.relation]}" '
        f'href="#shape-star" x="{p.x:.1f}" y="{p.y:.1f}">'
        f"<title>prototype of {escape(name_of[p.point.relation])}</title></use>"
        for p in stars
    )


def _names(stars: Sequence[_Placed], relations: Mapping[str, int], name_of: Mapping[str, str], height: float) -> str:
    texts = [short(name_of[p.point.relation], 28) for p in stars]
    labels = place_labels([(p.x, p.y) for p in stars], texts, width=_WIDTH, height=height)
    return "".join(_name(p, label, relations[p.point.relation]) for p, label in zip(stars, labels, strict=True))


def _name(placed: _Placed, label: PlacedLabel, index: int) -> str:
    lead = f'<path d="M{placed.x:.1f},{placed.y:.1f}L{label.x:.1f},{label.y:.1f}"/>' if label.led else ""
    text = f'<text x="{label.x:.1f}" y="{label.y:.1f}">{escape(label.text)}</text>'
    return f'<g class="{colour_class(index)}" data-relation="{index}">{lead}{text}</g>'


def _legend(dots: Sequence[_Placed], relations: Mapping[str, int], name_of: Mapping[str, str]) -> str:
    counts = dict.fromkeys(relations, 0)
    for p in dots:
        counts[p.point.relation] += 1
    return "".join(
        f'<li><button type="button" disabled aria-pressed="false" data-relation="{index}">'
        f'<svg class="{colour_class(index)}" viewBox="-6 -6 12 12" aria-hidden="true">'
        f'<use href="#shape-{shape_name(index)}"/></svg>'
        f'<bdi>{escape(name_of[relation])}</bdi> <span class="quiet">{counts[relation]}</span></button></li>'
        for relation, index in relations.items()
    )


def _hollow_note(dots: Sequence[_Placed]) -> str:
    known_wrong = sum(p.point.statement is not None and p.point.statement.expresses is False for p in dots)
    if not known_wrong:
        return ""
    return f'<p class="note">Hollow marks: the {known_wrong:,} statements whose label is known to be wrong.</p>'
