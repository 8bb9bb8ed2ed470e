"""The basic types: a span, a statement, a relation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields

from protorel.io import check_type, shown

NO_RELATION = "no_relation"
"""The label that our readers give to a pair without a relation. Others, such as NA, mean the same."""
SYMMETRIC = ("P26", "P47", "P190", "P197", "P451", "P460", "P461", "P530", "P1327", "P1382", "P3373")
"""Wikidata's most frequent relations that hold in both orders."""
MAX_TEXT = 100_000
"""The longest text of a statement, in characters: a bound on the cost of a hostile file."""


class StatementError(ValueError):
    """An invalid statement: `field` names the part that is wrong, `reason` says why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range [start, stop) of characters.

    >>> span = Span(0, 9)
    >>> span.of("Ada Kroll was born in Lunsk."), span.overlaps(Span(22, 27))
    ('Ada Kroll', False)
    """

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
    """A sentence, the two entities marked in it, and the relation that its label assigns to them.

    Args:
        text: The sentence.
        head: The span of the first argument of the relation; a pair of offsets will do.
        tail: The span of the second argument.
        relation: The label, possibly wrong; None for no label.
        id: An id, for messages and records.
        head_id: The head in a knowledge base, if known.
        tail_id: The tail in a knowledge base, if known.
        head_type: The type of the head, if known.
        tail_type: The type of the tail, if known.
        document: The page or file of the sentence, with its revision.
        source: The corpus of the sentence.
        expresses: Whether the text expresses the relation, if known.

    Raises:
        StatementError: a span lies outside the text or is empty, or a value has the wrong type.

    >>> statement = Statement("Ada Kroll was born in Lunsk.", (0, 9), (22, 27), "born_in")
    >>> statement.head, statement.tail_text
    (Span(start=0, stop=9), 'Lunsk')
    """

    text: str
    head: Span
    tail: Span
    relation: str | None = None
    id: str = ""
    head_id: str | None = None
    tail_id: str | None = None
    head_type: str | None = None
    tail_type: str | None = None
    document: str | None = None
    source: str = ""
    expresses: bool | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise StatementError("text", f"expected text, got {shown(self.text)}")
        if not self.text.strip():
            raise StatementError("text", "is empty")
        if len(self.text) > MAX_TEXT:
            raise StatementError("text", f"expected at most {MAX_TEXT} characters, got {len(self.text)}")
        for name in ("head", "tail"):
            span = getattr(self, name)
            if not isinstance(span, Span) or type(span.start) is not int or type(span.stop) is not int:
                span = as_span(span, name)
                object.__setattr__(self, name, span)
            self._check(name, span)
        if self.head == self.tail:
            raise StatementError("tail", f"is the same span as the head, [{self.head.start}, {self.head.stop})")
        if self.relation is not None and not (isinstance(self.relation, str) and self.relation.strip()):
            found = "an empty name" if isinstance(self.relation, str) else shown(self.relation)
            raise StatementError("relation", f"expected a name, got {found}. Leave it out if there is no label.")

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
        """Whether head and tail share a character, as with `Soichiro Honda` and `Honda`."""
        return self.head.overlaps(self.tail)

    def refuse_overlap(self, *, hint: str) -> None:
        """Raise `StatementError` if head and tail share a character; `hint` says how to keep such a statement."""
        if self.overlapping:
            spans = (f"{_short(span.of(self.text))!r} [{span.start}, {span.stop})" for span in (self.head, self.tail))
            raise StatementError("tail", f"head and tail overlap ({', '.join(spans)}); {hint}")

    @property
    def key(self) -> bytes:
        """A hash of text, head and tail, in 16 bytes: equal for two rows that differ only in their labels."""
        place = f"{self.head.start} {self.head.stop} {self.tail.start} {self.tail.stop} "
        return hashlib.blake2b((place + self.text).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def as_span(value: object, field: str) -> Span:
    """Return a span from a Span, a pair of offsets, or a dict with start and stop.

    Raises:
        StatementError: it is none of these; `field` names it.
    """
    if hasattr(value, "tolist"):  # an array, as pandas keeps lists
        value = value.tolist()
    ends: object = value
    if isinstance(value, Span):
        ends = (value.start, value.stop)
    elif isinstance(value, Mapping):
        ends = (value.get("start"), value.get("stop"))
    if isinstance(ends, tuple | list) and len(ends) == 2 and all(map(_is_whole, ends)):
        return Span(*map(int, ends))
    raise StatementError(field, f"expected a span (start, stop), got {shown(value)}")


def _is_whole(value: object) -> bool:
    """Tell whether a value is a whole number; 9.0 is one, as pandas turns numbers into floats next to missing ones."""
    if isinstance(value, float):
        return value.is_integer()
    return hasattr(value, "__index__") and not isinstance(value, bool)  # a NumPy integer is not an int


def _short(text: str, limit: int = 40) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


STATEMENT_FIELDS = tuple(field.name for field in fields(Statement))
"""The names of a statement's fields, in order."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation by its id, with a name and a description if known.

    Args:
        id: The label in the data, such as a Wikidata property.
        name: A short name.
        description: One sentence on its meaning.

    Raises:
        BadInput: a value is not text.

    >>> Relation("P19", "place of birth").name
    'place of birth'
    """

    id: str
    name: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        for field in ("id", "name", "description"):
            check_type(getattr(self, field), str, where=f"relation, {field}", expected="text")
