"""A sentence as a picture: its words in a row, painted entities, and one arc per triple from head to tail."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from protorel.extraction.triples import Mention, Triple
from protorel.statements import Span

COLOURS = ("#bfe1ff", "#ffd6a5", "#caffbf", "#ffc6ff", "#fdffb6", "#d7c9ff", "#ffadad", "#c8f4f4")
_INK, _PILL = "#1f2933", "#e8edf3"
_MOST_ARCS = 16
_LONGEST = 110
"""Characters of a sentence that is drawn whole; of a longer one only the entities are."""
_CHARACTER, _SMALL = 8.0, 6.4
"""Widths of characters of 13 and 11 pixels. `textLength` makes other fonts fit them."""
_LEVEL, _ANCHOR, _ROUND = 26, 12.0, 8
_GAP = " … "


def colour(type: str | None) -> str:
    """Return the colour of an entity type."""
    return COLOURS[sum(map(ord, type or "")) % len(COLOURS)]


def fits_in_a_row(sentence: str) -> bool:
    """Say whether a sentence is drawn whole: it is short, and does not run from right to left."""
    short = len(sentence) <= _LONGEST and sentence.isprintable()
    return short and all(unicodedata.bidirectional(one) not in ("R", "AL") for one in sentence)


def arcs_svg(
    text: str, window: Span, mentions: Sequence[Mention], triples: Sequence[Triple], *, background: str | None = None
) -> str:
    """Return the picture as an SVG element, or nothing where there are no triples or too many.

    Args:
        text: The text of the mentions.
        window: The part of the text to draw.
        mentions: The entities in it.
        triples: The triples between these entities.
        background: A colour to draw on. Without it the picture is transparent and its text has the page's colour.
    """
    if not 0 < len(triples) <= _MOST_ARCS:
        return ""
    line = _line(text, window, mentions, triples)
    arcs = _arcs(line.places, triples)
    top = _LEVEL * max((arc.level for arc in arcs), default=0) + 14
    width = max([line.width, *(arc.right for arc in arcs)]) + 16
    left = min([0.0, *(arc.left for arc in arcs)])
    drawn = [arc.line(top) for arc in arcs] + [arc.pill(top) for arc in arcs] + [one.svg(top) for one in line.pieces]
    paper = f'<rect x="{left - 8:g}" width="100%" height="100%" fill="{background}"/>' if background else ""
    ink = _INK if background else "currentColor"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left - 8:g} 0 {width - left + 8:g} {top + 46}" '
        f'width="{width - left + 8:g}" style="max-width:100%;height:auto" role="img" fill="{ink}" '
        f'font-family="ui-monospace,Menlo,Consolas,monospace" font-size="13">{paper}{"".join(drawn)}</svg>'
    )


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some characters of the line, and the entity that they name."""

    x: float
    text: str
    mention: Mention | None

    def svg(self, top: float) -> str:
        width = _CHARACTER * len(self.text)
        fit = f'textLength="{width:g}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"'
        if self.mention is None:
            return f'<text x="{self.x:g}" y="{top + 20:g}" {fit}>{escape(self.text)}</text>'
        type, middle = self.mention.type, self.x + width / 2
        below = f'<text x="{middle:g}" y="{top + 40:g}" text-anchor="middle" font-size="9">{escape(type or "")}</text>'
        return (
            f'<rect x="{self.x - 3:g}" y="{top + 4:g}" width="{width + 6:g}" height="23" rx="4" '
            f'fill="{colour(type)}"/><text x="{self.x:g}" y="{top + 20:g}" {fit} fill="{_INK}">{escape(self.text)}'
            f"</text>{below if type else ''}"
        )


@dataclass(frozen=True, slots=True)
class _Line:
    pieces: list[_Piece]
    places: dict[Mention, tuple[float, float]]
    width: float


def _line(text: str, window: Span, mentions: Sequence[Mention], triples: Sequence[Triple]) -> _Line:
    """Lay the sentence out in one row; of a long one, or one that runs from right to left, only the entities."""
    whole = fits_in_a_row(text[window.start : window.stop])
    shown = [one for one in mentions if whole or any(one in (triple.head, triple.tail) for triple in triples)]
    pieces: list[_Piece] = []
    places: dict[Mention, tuple[float, float]] = {}
    x, at = 0.0, window.start
    for one in shown:
        between = text[at : one.start] if whole else (_GAP if pieces else "")
        word = one.text if whole or len(one.text) <= 24 else one.text[:23] + "…"
        pieces += [_Piece(x, between, None)] if between else []
        x += _CHARACTER * len(between)
        pieces.append(_Piece(x, word, one))
        places[one] = (x, x + _CHARACTER * len(word))
        x, at = places[one][1], one.stop
    rest = text[at : window.stop].rstrip() if whole else ""
    pieces += [_Piece(x, rest, None)] if rest else []
    return _Line(pieces, places, x + _CHARACTER * len(rest))


@dataclass(frozen=True, slots=True)
class _Arc:
    """From the middle of an entity up, over to another one, and down to an arrow."""

    start: float
    stop: float
    level: int
    label: str

    @property
    def left(self) -> float:
        return min(self.start, self.stop, (self.start + self.stop - _label_width(self.label)) / 2)

    @property
    def right(self) -> float:
        return max(self.start, self.stop, (self.start + self.stop + _label_width(self.label)) / 2)

    def line(self, base: float) -> str:
        top = base - _LEVEL * self.level
        turn = _ROUND if self.stop >= self.start else -_ROUND
        return (
            f'<path d="M{self.start:g},{base} V{top + _ROUND} Q{self.start:g},{top} {self.start + turn:g},{top} '
            f'H{self.stop - turn:g} Q{self.stop:g},{top} {self.stop:g},{top + _ROUND} V{base - 3}" fill="none" '
            f'stroke="#7b8794" stroke-width="1.3"/>'
            f'<path d="M{self.stop - 4:g},{base - 6} L{self.stop:g},{base + 2} L{self.stop + 4:g},{base - 6} Z" '
            f'fill="#7b8794"/>'
        )

    def pill(self, base: float) -> str:
        top, middle, width = base - _LEVEL * self.level, (self.start + self.stop) / 2, _label_width(self.label)
        return (
            f'<rect x="{middle - width / 2:g}" y="{top - 9}" width="{width:g}" height="18" rx="9" fill="{_PILL}"/>'
            f'<text x="{middle:g}" y="{top + 4}" text-anchor="middle" font-size="11" fill="{_INK}" '
            f'textLength="{width - 14:g}" lengthAdjust="spacingAndGlyphs">{escape(self.label)}</text>'
        )


def _label_width(label: str) -> float:
    return _SMALL * len(label) + 14


def _arcs(places: dict[Mention, tuple[float, float]], triples: Sequence[Triple]) -> list[_Arc]:
    """Give each triple a level at which it meets no other, and each end a place of its own on its entity."""
    middle = {one: (left + right) / 2 for one, (left, right) in places.items()}
    known = [one for one in triples if one.head in places and one.tail in places]
    known.sort(key=lambda one: abs(middle[one.head] - middle[one.tail]))
    ends: dict[Mention, list[tuple[float, int]]] = {}
    for number, one in enumerate(known):
        for own, other in ((one.head, one.tail), (one.tail, one.head)):
            reach = middle[other] - middle[own]
            # Arcs to the left before those to the right; the nearer is the inner one on either side.
            side = -1e6 if reach < 0 else 1e6
            order = side - reach + (number if reach < 0 else -number) * 1e-3
            ends.setdefault(own, []).append((order, number))
    anchor: dict[tuple[Mention, int], float] = {}
    for mention, arriving in ends.items():
        left, right = places[mention]
        step = min(_ANCHOR, (right - left) / (len(arriving) + 1))
        for place, (_, number) in enumerate(sorted(arriving)):
            anchor[mention, number] = middle[mention] + (place - (len(arriving) - 1) / 2) * step
    found: list[_Arc] = []
    for number, one in enumerate(known):
        arc = _Arc(anchor[one.head, number], anchor[one.tail, number], 1, one.label)
        met = [other.level for other in found if other.left < arc.right and arc.left < other.right]
        found.append(_Arc(arc.start, arc.stop, 1 + max(met, default=0), arc.label))
    return found
