"""An extraction in a notebook: each sentence with its entities painted, arcs between them, and the counts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice

from protorel.extraction.arcs import arcs_svg, colour, fits_in_a_row
from protorel.extraction.triples import Extraction, Mention, Triple
from protorel.harvest import split_sentences
from protorel.statements import Span

_MOST_SENTENCES = 50
_LONGEST = 20_000
_MARK = "color:#1f2933;padding:0 .2em"


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
        pieces += [
            escape(text[at : one.start]),
            f'<mark style="background:{colour(one.type)};{_MARK}">',
        ]
        pieces += [escape(one.text), label, "</mark>"]
        at = one.stop
    painted = "".join(pieces) + escape(text[at : window.stop])
    rows = "".join(_row(one, certain=id(one) in asserted) for one in triples)
    picture = arcs_svg(text, window, mentions, [one for one in triples if id(one) in asserted])
    whole = picture and fits_in_a_row(text[window.start : window.stop])
    sentence = "" if whole else f'<p dir="auto">{painted}</p>'
    return f'<div style="margin:.6em 0">{picture}{sentence}<table>{rows}</table></div>'


def _row(triple: Triple, *, certain: bool) -> str:
    cells = (triple.head.text, triple.label, triple.tail.text, f"{triple.probability:.2f}")
    style = "" if certain else ' style="opacity:.6"'
    return f"<tr{style}>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}<td>{'' if certain else '?'}</td></tr>"


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
