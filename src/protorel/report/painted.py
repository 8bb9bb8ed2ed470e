"""A sentence with its head and tail marked, even if they overlap; long sentences are cropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from protorel.report.safe_text import readable
from protorel.statements import Span, Statement

WHOLE = 400
"""Sentences up to this many characters are not cropped."""
_AROUND, _OF_ENTITY, _NUDGE = 90, 80, 16
_GAP = "…"


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a sentence that is entirely inside or outside of each entity."""

    text: str
    in_head: bool = False
    in_tail: bool = False

    @property
    def role(self) -> str:
        """The entities that it is part of: "head", "tail", "head tail" if they overlap, or an empty string."""
        return " ".join(name for name, inside in (("head", self.in_head), ("tail", self.in_tail)) if inside)


def pieces(statement: Statement, *, whole: int = WHOLE, around: int = _AROUND) -> list[Piece]:
    """Split a statement at the ends of its entities; one longer than `whole` is cropped to the text `around` them.

    Pieces never overlap, so tags around them are nested correctly even if the entities overlap.
    """
    text = readable(statement.text)
    cut: list[Piece] = []
    reached = 0
    for kept in _kept(text, statement.head, statement.tail, whole, around):
        if kept.start > reached:
            cut.append(Piece(_GAP))
        cut.extend(_cut(text, kept, statement.head, statement.tail))
        reached = kept.stop
    if reached < len(text):
        cut.append(Piece(_GAP))
    return cut


def painted(statement: Statement) -> str:
    """Return the sentence as HTML, with a `<mark>` around every piece of an entity."""
    inner = "".join(
        f'<mark class="{piece.role}">{escape(piece.text)}</mark>' if piece.role else escape(piece.text)
        for piece in pieces(statement)
    )
    return f'<bdi class="sentence">{inner}</bdi>'


def _cut(text: str, kept: Span, head: Span, tail: Span) -> Iterator[Piece]:
    ends = {kept.start, kept.stop} | {end for span in (head, tail) for end in (span.start, span.stop)}
    for start, stop in pairwise(sorted(end for end in ends if kept.start <= end <= kept.stop)):
        here = Span(start, stop)
        yield Piece(here.of(text), here.overlaps(head), here.overlaps(tail))


def _kept(text: str, head: Span, tail: Span, whole: int, around: int) -> list[Span]:
    """Return the parts to show, in order and without overlap."""
    if len(text) <= whole:
        return [Span(0, len(text))]
    stretches: list[Span] = []
    for entity in sorted((head, tail)):
        shown = _around(text, entity, around)
        if stretches and shown.start <= stretches[-1].stop + _NUDGE:
            last = stretches.pop()
            shown = Span(last.start, max(last.stop, shown.stop))
        stretches.append(shown)
    return stretches


def _around(text: str, entity: Span, around: int) -> Span:
    """Return an entity, or its start if it is long, with text on both sides, cut between words if possible."""
    seen = min(entity.stop, entity.start + _OF_ENTITY)
    start, stop = max(0, entity.start - around), min(len(text), seen + around)
    if start > 0:
        blank = text.find(" ", start, min(start + _NUDGE, entity.start))
        start = blank + 1 if blank >= 0 else start
    if stop < len(text):
        blank = text.rfind(" ", max(stop - _NUDGE, seen), stop)
        stop = blank if blank >= 0 else stop
    return Span(start, stop)
