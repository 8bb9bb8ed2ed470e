"""The values that every room uses: a span, a statement, a relation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields

from protorel.io import shown

MAX_TEXT = 100_000
"""The longest text, in characters, that a statement may hold: a bound on what a hostile file can cost."""


class StatementError(ValueError):
    """An invalid statement: `field` names the part that is wrong, `reason` says why."""

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
    """A sentence, the two entities marked in it, and the relation that its label says they hold.

    A span may be given as a pair of offsets:

    >>> Statement("Ada Kroll was born in Lunsk.", (0, 9), (22, 27), "born_in").head
    Span(start=0, stop=9)
    """

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
    """The page or file it comes from, with its revision."""
    source: str = ""
    expresses: bool | None = None
    """Whether the text expresses the relation, where that is known."""

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise StatementError("text", f"expected text, got {shown(self.text)}")
        if not self.text.strip():
            raise StatementError("text", "is empty")
        if len(self.text) > MAX_TEXT:
            raise StatementError("text", f"expected at most {MAX_TEXT} characters, got {len(self.text)}")
        for name in ("head", "tail"):
            span = getattr(self, name)
            if not isinstance(span, Span):
                span = as_span(span, name)
                object.__setattr__(self, name, span)
            self._check(name, span)
        if self.head == self.tail:
            raise StatementError("tail", f"is the same span as the head, [{self.head.start}, {self.head.stop})")
        if self.relation is not None and not (isinstance(self.relation, str) and self.relation.strip()):
            found = "an empty name" if isinstance(self.relation, str) else shown(self.relation)
            raise StatementError("relation", f"expected a name, got {found}. Leave it out where there is no label.")

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
        """The head as written in the text."""
        return self.head.of(self.text)

    @property
    def tail_text(self) -> str:
        """The tail as written in the text."""
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


def as_span(value: object, field: str) -> Span:
    """Return a span from a Span, a pair of offsets, or a dict with start and stop.

    Raises:
        StatementError: it is none of these; `field` names it.
    """
    if isinstance(value, Span):
        return value
    if hasattr(value, "tolist"):  # an array, as pandas keeps lists
        value = value.tolist()
    ends = (value.get("start"), value.get("stop")) if isinstance(value, Mapping) else value
    if isinstance(ends, tuple | list) and len(ends) == 2 and all(map(_is_whole, ends)):
        return Span(*map(int, ends))
    raise StatementError(field, f"expected a span (start, stop), got {shown(value)}")


def _is_whole(value: object) -> bool:
    """Tell whether a value is a whole number; 9.0 is one, as pandas turns numbers into floats next to missing ones."""
    if isinstance(value, float):
        return value.is_integer()
    return hasattr(value, "__index__") and not isinstance(value, bool)  # NumPy's integers are no int


def _short(text: str, limit: int = 40) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


STATEMENT_FIELDS = tuple(field.name for field in fields(Statement))
"""The names of a statement's fields, in order."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation by its id, with a name and a description where they are known."""

    id: str
    name: str = ""
    description: str = ""
