"""What readers of sources yield: facts, entities and their names, documents and their links; and what they count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from protorel.corpora import Reject

MAX_EXAMPLES = 5
"""How many examples a tally keeps per reason."""
MAX_REASONS = 500
"""How many reasons of a kind are counted separately: some quote the file, and a hostile file may hold anything."""
_OTHER = "other reasons"


@dataclass(frozen=True, slots=True)
class Fact:
    """One entity-valued statement of a knowledge base, by ids."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity of the knowledge base and its names."""

    id: str
    label: str | None = None
    """Its name in the chosen language; None if the knowledge base has none."""
    aliases: tuple[str, ...] = ()
    title: str | None = None
    """The title of its page in the Wikipedia of the chosen language."""
    kinds: tuple[str, ...] = ()
    """What it is an instance of: the values of P31, or the type in an alias file."""


@dataclass(frozen=True, slots=True)
class Property:
    """A relation of the knowledge base, by its id, with its words."""

    id: str
    label: str | None = None
    description: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a page: the half-open range of characters of the document's text that carries it."""

    start: int
    stop: int
    target: str
    """The page's title with known redirects resolved, first letter upper case, no underscores."""


@dataclass(frozen=True, slots=True)
class Document:
    """A page or a file as plain text; `text[link.start:link.stop]` is what a reader would click."""

    id: str
    title: str | None
    revision: str | None
    text: str
    links: tuple[Link, ...] = ()


@dataclass(slots=True)
class Tally:
    """Counts of rows by reason: `rows = taken + left out + rejected`; several readers may share one tally."""

    on_reject: Callable[[Reject], None] | None = None
    """Called with every reject, for example to write it to a file."""
    rows: int = 0
    """Rows read: entities of a dump, lines of a file, pages."""
    taken: int = 0
    """Rows that were used."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Good rows that a rule leaves out: redirects, pages of other namespaces, lexemes."""
    rejected: Counter[str] = field(default_factory=Counter)
    """Rows that could not be read, by reason."""
    noticed: Counter[str] = field(default_factory=Counter)
    """Oddities inside rows that were taken, by reason: an entity without a label, a file cut short."""
    examples: dict[str, list[Reject]] = field(default_factory=dict)

    def take(self) -> None:
        """Count one row that was used."""
        self.rows += 1
        self.taken += 1

    def leave(self, reason: str) -> None:
        """Count one good row that a rule leaves out."""
        self.rows += 1
        self.left_out[_known(self.left_out, reason)] += 1

    def reject(self, reject: Reject, *, reason: str | None = None) -> None:
        """Count one row that could not be read; `reason` names its class if its own reason is too specific."""
        self.rows += 1
        counted = _known(self.rejected, reason or reject.reason)
        self.rejected[counted] += 1
        self._remember(counted, reject)
        if self.on_reject:
            self.on_reject(reject)

    def notice(self, reason: str, count: int = 1, *, example: Reject | None = None) -> None:
        """Count an oddity inside a row that is taken anyway."""
        if count:
            self.noticed[_known(self.noticed, reason)] += count
        if example is not None:
            self._remember(reason, example)

    def first_example(self) -> str:
        """Return the first example as the end of an error message; empty if there is none."""
        first = next((rejects[0] for rejects in self.examples.values() if rejects), None)
        return f"; first reason: {first}" if first else ""

    def as_json(self) -> dict[str, object]:
        """Return the counts as a manifest holds them; equal counts give equal text."""
        return {
            "rows": self.rows,
            "taken": self.taken,
            "left_out": dict(sorted(self.left_out.items())),
            "rejected": dict(sorted(self.rejected.items())),
            "noticed": dict(sorted(self.noticed.items())),
        }

    def _remember(self, reason: str, reject: Reject) -> None:
        kept = self.examples.setdefault(reason, [])
        if len(kept) < MAX_EXAMPLES:
            kept.append(reject)


def _known(counts: Counter[str], reason: str) -> str:
    return reason if reason in counts or len(counts) < MAX_REASONS else _OTHER
