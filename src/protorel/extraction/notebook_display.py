"""An extraction in a notebook: each sentence with its entities painted, arcs between them, and the counts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice

from protorel.extraction.triples import Extraction, Mention, Triple
from protorel.harvest import split_sentences
from protorel.statements import Span

_MOST_SENTENCES = 50
_LONGEST = 20_000
_MOST_ARCS = 12
_COLOURS = ("#bfe1ff", "#ffd6a5", "#caffbf", "#ffc6ff", "#fdffb6", "#d7c9ff", "#ffadad", "#c8f4f4")
_CHARACTER = 8
"""The width of a character of the font that the picture is set in."""
_LEVEL = 22


def extraction_html(extraction: Extraction) -> str:
    """Return the first sentences that hold a triple, as HTML in which everything from outside is escaped."""
    counts = ", ".join(f"{name} {count}" for name, count in extraction.counts.items() if count)
    blocks = list(islice(_blocks(extraction), _MOST_SENTENCES + 1))
    if len(blocks) > _MOST_SENTENCES:
        blocks[-1] = "<p>… and more</p>"
    if extraction.problem is not None:
        blocks.append(f"<p>{escape(extraction.problem)}</p>")
    uncalibrated = "" if extraction.calibrated else " · probabilities are not calibrated"
    return f"<div>{''.join(blocks)}<p><small>{escape(counts)}{uncalibrated}</small></p></div>"


def _blocks(extraction: Extraction) -> Iterator[str]:
    """Yield each run of sentences that some triple spans."""
    sentences = split_sentences(extraction.text, longest=_LONGEST)
    mentions, asserted = extraction.mentions, set(map(id, extraction.triples))
    inside: list[Triple] = []
    window = Span(0, 0)
    for triple in sorted((*extraction.triples, *extraction.uncertain), key=_start):
        own = _window(sentences, triple)
        if inside and own.start >= window.stop:
            yield _sentence(extraction.text, window, _within(mentions, window), inside, asserted)
            inside = []
        window = Span(window.start, max(window.stop, own.stop)) if inside else own
        inside.append(triple)
    if inside:
        yield _sentence(extraction.text, window, _within(mentions, window), inside, asserted)


def _sentence(
    text: str, window: Span, mentions: Sequence[Mention], triples: Sequence[Triple], asserted: set[int]
) -> str:
    pieces: list[str] = []
    at = window.start
    for one in mentions:
        label = f" <sub>{escape(one.type)}</sub>" if one.type else ""
        pieces += [escape(text[at : one.start]), f'<mark style="background:{_colour(one.type)};padding:0 .2em">']
        pieces += [escape(one.text), label, "</mark>"]
        at = one.stop
    painted = "".join(pieces) + escape(text[at : window.stop])
    rows = "".join(_row(one, certain=id(one) in asserted) for one in triples)
    picture = _arcs(mentions, triples, asserted)
    return f'<div style="margin:.6em 0">{picture}<p dir="auto">{painted}</p><table>{rows}</table></div>'


def _row(triple: Triple, *, certain: bool) -> str:
    cells = (triple.head.text, triple.label, triple.tail.text, f"{triple.probability:.2f}")
    style = "" if certain else ' style="opacity:.6"'
    return f"<tr{style}>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}<td>{'' if certain else '?'}</td></tr>"


def _arcs(mentions: Sequence[Mention], triples: Sequence[Triple], asserted: set[int]) -> str:
    """Draw the entities in a row and an arc per triple above them; too many are left to the table."""
    involved = [one for one in mentions if any(one in (triple.head, triple.tail) for triple in triples)]
    if not 1 < len(involved) <= _MOST_ARCS or len(triples) > _MOST_ARCS:
        return ""
    middles: dict[Mention, int] = {}
    right = 0
    words: list[str] = []
    height = _LEVEL * (len(triples) + 1)
    for one in involved:
        word = one.text if len(one.text) <= 24 else one.text[:23] + "…"
        width = _CHARACTER * len(word)
        middles[one] = right + width // 2
        words.append(f'<text x="{middles[one]}" y="{height + 16}" text-anchor="middle">{escape(word)}</text>')
        right += width + 90
    drawn = []
    for level, triple in enumerate(sorted(triples, key=lambda one: abs(middles[one.head] - middles[one.tail]))):
        start, stop, top = middles[triple.head], middles[triple.tail], height - _LEVEL * (level + 1)
        dash = "" if id(triple) in asserted else ' stroke-dasharray="3 3"'
        drawn.append(
            f'<path d="M{start},{height} V{top} H{stop} V{height - 4}" fill="none" stroke="#555"{dash}/>'
            f'<path d="M{stop - 4},{height - 6} L{stop},{height} L{stop + 4},{height - 6}" fill="#555"/>'
            f'<text x="{(start + stop) // 2}" y="{top - 3}" text-anchor="middle" font-size="11">'
            f"{escape(triple.label)}</text>"
        )
    size = f'width="{right}" height="{height + 24}"'
    return f'<svg {size} font-family="monospace" font-size="13">{"".join(drawn + words)}</svg>'


def _window(sentences: Sequence[Span], triple: Triple) -> Span:
    """Return the sentences that a triple touches."""
    start, stop = _start(triple), max(triple.head.stop, triple.tail.stop)
    first = bisect_right(sentences, start, key=lambda one: one.stop)
    last = bisect_left(sentences, stop, key=lambda one: one.start)
    touched = sentences[first:last]
    return Span(min(start, touched[0].start), max(stop, touched[-1].stop)) if touched else Span(start, stop)


def _within(mentions: Sequence[Mention], window: Span) -> Sequence[Mention]:
    first = bisect_left(mentions, window.start, key=lambda one: one.start)
    return mentions[first : bisect_right(mentions, window.stop, key=lambda one: one.stop)]


def _start(triple: Triple) -> int:
    return min(triple.head.start, triple.tail.start)


def _colour(type: str | None) -> str:
    return _COLOURS[sum(map(ord, type or "")) % len(_COLOURS)]
