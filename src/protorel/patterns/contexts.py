"""Contexts: the words around two entities, the input of Snowball (Agichtein and Gravano 2000, section 2.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from protorel.statements import Statement

PARTS = ("left", "middle", "right")
EDGE = ""
"""The term for the beginning and the end of a text, and for nothing between the entities; no word is empty."""
NUMBER = "#"
"""The term for every number: which year it is does not matter."""

# In scripts without spaces between words, each character is a term.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_TERM = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]")


class Slot(NamedTuple):
    """The order and the types of the entities: only contexts of the same slot are compared."""

    head_first: bool
    head_type: str | None
    tail_type: str | None


@dataclass(frozen=True, slots=True)
class Context:
    """The terms before the first entity, between the two, and after the second."""

    slot: Slot
    left: tuple[str, ...]
    middle: tuple[str, ...]
    right: tuple[str, ...]


def terms_of(text: str) -> list[str]:
    """Return the terms of a text: lower-case words, numbers and single punctuation marks.

    >>> terms_of("Born in 1921, she …")
    ['born', 'in', '#', ',', 'she', '…']
    """
    found = _TERM.findall(text.casefold())
    return [NUMBER if term.isdecimal() else term for term in found]


def context_of(statement: Statement, *, window: int, longest_middle: int) -> Context:
    """Return a statement's context: `window` terms on either side, and the middle.

    Of a middle longer than `longest_middle` terms, both ends are kept. Overlapping entities have nothing between them.
    """
    first, second = sorted((statement.head, statement.tail))
    text = statement.text
    before, after = terms_of(text[: first.start]), terms_of(text[max(first.stop, second.stop) :])
    between = terms_of(text[first.stop : second.start]) or [EDGE]
    if len(between) > longest_middle:
        half = longest_middle // 2
        between = between[: longest_middle - half] + between[len(between) - half :]
    return Context(
        Slot(first == statement.head, statement.head_type, statement.tail_type),
        left=tuple([EDGE, *before][-window:]),
        middle=tuple(between),
        right=tuple([*after, EDGE][:window]),
    )
