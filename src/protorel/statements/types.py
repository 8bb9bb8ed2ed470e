"""The values that every room speaks of: a span, a statement, a relation."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields

MAX_TEXT = 100_000
"""The longest text, in characters, that a statement may hold: a bound on what a hostile file can cost."""


class StatementError(ValueError):
    """A statement that cannot stand: `field` says which part of it is wrong, the message says why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range [start, stop) of characters."""

    start: int
    stop: int

    def of(self, text: str) -> str:
        """Return the characters of `text` that the span covers."""
        return text[self.start : self.stop]

    def overlaps(self, other: Span) -> bool:
        """Tell whether the two spans share a character."""
        return self.start < other.stop and other.start < self.stop


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, the two entities marked in it, and the relation they are said to hold."""

    text: str
    head: Span
    tail: Span
    relation: str | None = None
    """The label it came with: possibly wrong."""
    id: str = ""
    head_id: str | None = None
    """Knowledge-base ids, where known."""
    tail_id: str | None = None
    head_type: str | None = None
    tail_type: str | None = None
    document: str | None = None
    """The page or file it stands in, with its revision."""
    source: str = ""
    expresses: bool | None = None
    """The truth, where somebody checked: does the text express the relation?"""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise StatementError("text", "is empty")
        if len(self.text) > MAX_TEXT:
            raise StatementError("text", f"has {len(self.text)} characters, at most {MAX_TEXT} are allowed")
        for name, span in (("head", self.head), ("tail", self.tail)):
            self._check(name, span)
        if self.head == self.tail:
            raise StatementError("tail", f"is the same span as the head, [{self.head.start}, {self.head.stop})")
        if self.relation is not None and not self.relation.strip():
            raise StatementError("relation", "is an empty name; leave it out where there is no label")

    def _check(self, name: str, span: Span) -> None:
        if span.start < 0 or span.stop > len(self.text):
            raise StatementError(
                name, f"[{span.start}, {span.stop}) lies outside the text, which has {len(self.text)} characters"
            )
        if span.start >= span.stop:
            raise StatementError(name, f"[{span.start}, {span.stop}) is empty")
        if not span.of(self.text).strip():
            raise StatementError(name, f"[{span.start}, {span.stop}) covers white space only")

    @property
    def head_text(self) -> str:
        """The head as it stands in the text."""
        return self.head.of(self.text)

    @property
    def tail_text(self) -> str:
        """The tail as it stands in the text."""
        return self.tail.of(self.text)

    @property
    def overlapping(self) -> bool:
        """Whether head and tail share a character, as `Honda` in `Soichiro Honda` does."""
        return self.head.overlaps(self.tail)

    def refuse_overlap(self, *, hint: str) -> None:
        """Raise `StatementError` if head and tail share a character; `hint` says how to keep such a statement."""
        if self.overlapping:
            spans = (f"{_short(span.of(self.text))!r} [{span.start}, {span.stop})" for span in (self.head, self.tail))
            raise StatementError("tail", f"head and tail overlap ({', '.join(spans)}); {hint}")

    @property
    def key(self) -> bytes:
        """Sixteen bytes that are equal for two rows exactly when text, head and tail are: a label does not count."""
        place = f"{self.head.start} {self.head.stop} {self.tail.start} {self.tail.stop} "
        return hashlib.blake2b((place + self.text).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _short(text: str, limit: int = 40) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


STATEMENT_FIELDS = tuple(field.name for field in fields(Statement))
"""The names of a statement's fields, in order."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation by its id, with a name and a description where somebody gave them."""

    id: str
    name: str = ""
    description: str = ""
