"""Patterns in words: the most similar context, reduced to the terms of the pattern."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from protorel.patterns.contexts import EDGE, PARTS, Context, Slot
from protorel.statements import Statement, writable

GAP = "…"
"""Replaces words that differ between statements."""
_AROUND, _BETWEEN, _NAME = 24, 64, 32
"""The most characters of an example around its entities, between them, and of each name."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An excerpt of a statement in five parts: before, first entity, between, second entity, after."""

    before: str
    first: str
    between: str
    second: str
    after: str
    head_first: bool
    id: str

    def __str__(self) -> str:
        return f"{self.before}[{self.first}]{self.between}[{self.second}]{self.after}"


def worded(context: Context, shared: Set[tuple[str, str]]) -> str:
    """Return a context without names, and with only those words that are in `shared`, as (part, term).

    >>> slot = Slot(True, "person", None)
    >>> born = Context(slot, ("",), ("was", "happily", "born", "in"), (",", "#"))
    >>> worded(born, {("left", ""), ("middle", "was"), ("middle", "born"), ("middle", "in"), ("right", ",")})
    'HEAD:person was … born in TAIL , …'
    """
    left, middle, right = (
        _kept(terms, {term for where, term in shared if where == part})
        for part, terms in zip(PARTS, (context.left, context.middle, context.right), strict=True)
    )
    first, second = _entities(context.slot)
    return " ".join([*left, first, *middle, second, *right])


def excerpt(statement: Statement) -> Excerpt:
    """Return a short excerpt of a statement around its entities; overlapping entities follow each other."""
    first, second = sorted((statement.head, statement.tail))
    return Excerpt(
        _ending(statement.text[: first.start]),
        writable(statement.text[first.start : first.stop], limit=_NAME),
        _inner(statement.text[first.stop : max(first.stop, second.start)]),
        writable(second.of(statement.text), limit=_NAME),
        writable(statement.text[max(first.stop, second.stop) :], limit=_AROUND),
        first == statement.head,
        writable(statement.id, limit=200),
    )


def _kept(terms: tuple[str, ...], shared: Set[str]) -> list[str]:
    shown = [writable(term, limit=40) if term in shared else GAP for term in terms]
    return [
        term for place, term in enumerate(shown) if term != EDGE and (term != GAP or shown[place - 1 : place] != [GAP])
    ]


def _entities(slot: Slot) -> tuple[str, str]:
    head, tail = (
        name if kind is None else f"{name}:{writable(kind, limit=40)}"
        for name, kind in (("HEAD", slot.head_type), ("TAIL", slot.tail_type))
    )
    return (head, tail) if slot.head_first else (tail, head)


def _ending(text: str) -> str:
    return writable(text if len(text) <= _AROUND else GAP + text[len(text) - _AROUND + 1 :], limit=_AROUND)


def _inner(text: str) -> str:
    half = _BETWEEN // 2
    return writable(text if len(text) <= _BETWEEN else f"{text[:half]} {GAP} {text[-half:]}", limit=len(text) + 3)
