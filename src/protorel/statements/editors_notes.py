"""Wikidata's descriptions speak to its editors too: which other property to use instead, what is deprecated."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PROPERTY = re.compile(r"\bP[1-9]\d*\b")
_REFERENCE = re.compile(r"[(\[](Property:)?P[1-9]\d*\b")
_ORDER = re.compile(r"(please |do not |don't |never |only )?use\b(?! of)", re.IGNORECASE)
_END = re.compile(r"(?<=[.;])(?<!e\.g\.)(?<!i\.e\.)\s+")
_GAP = re.compile(r"\s+(?=[.,;](?!\.))")


def without_notes(text: str) -> str:
    """Return what a description says of its own property: no clause that orders, or that names another property.

    A note in brackets goes alone; where brackets only give the id of what their clause names, the clause goes. Where
    nothing would be left, all of it stays.

    >>> without_notes('who brews a drink. For those who sell it, take "sold by" (P9001)')
    'who brews a drink.'
    >>> without_notes("what a song is about (see P9002 for its mood)")
    'what a song is about'
    """
    kept = [clause for clause in _clauses(text) if not (_PROPERTY.search(clause) or _ORDER.match(clause))]
    return _GAP.sub("", " ".join(" ".join(kept).split())).rstrip(";, ") or text


def _clauses(text: str) -> Iterator[str]:
    """Cut behind full stops and semicolons, never inside brackets; notes in brackets are left out."""
    clause = ""
    for piece in _pieces(text):
        if piece[0] in "([":
            is_note = _PROPERTY.search(piece) and not _REFERENCE.match(piece)
            clause += "" if is_note else piece
            continue
        first, *others = _END.split(piece)
        clause += first
        for other in others:
            yield clause
            clause = other
    yield clause


def _pieces(text: str) -> Iterator[str]:
    """Cut into what stands in brackets, with all brackets inside them, and what stands between."""
    depth = start = 0
    for place, character in enumerate(text):
        if character in "([":
            if depth == 0 and place > start:
                yield text[start:place]
                start = place
            depth += 1
        elif character in ")]" and depth:
            depth -= 1
            if depth == 0:
                yield text[start : place + 1]
                start = place + 1
    if start < len(text):
        yield text[start:]
