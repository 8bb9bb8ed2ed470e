"""What extraction gives: mentions, the triples between them, and what was not asserted, counted by reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from protorel.model import Evidence

COUNTS = ("entities", "pairs", "too_far", "wrong_types", "none", "uncertain", "asserted")
"""The counts that every extraction has; `docs/tasks/extract_triples.md` explains these and the others."""


_IN_WORDS = {
    "too_far": "too far apart",
    "over_cap": "over the cap of their sentence",
    "same_entity": "of one entity",
    "same_pair": "of a pair that is asked by nearer mentions",
    "wrong_types": "of types that fit no relation",
    "unreadable": "unreadable for the model",
    "none": "without a relation",
    "answered": "with an answer",
}
_THINNED = {
    "relation_wrong_types": "types that do not fit",
    "symmetric_duplicate": "the other direction of a symmetric relation",
    "inverse_duplicate": "the inverse of another answer",
    "functional": "more than the schema allows",
}


def counts_in_words(counts: Mapping[str, int]) -> str:
    """Return where all ordered pairs and all answers ended, in one line.

    >>> counts_in_words({"entities": 2, "pairs": 2, "none": 1, "answered": 1, "asserted": 1})
    '2 entities, 2 ordered pairs (1 without a relation, 1 with an answer): 1 asserted, 0 uncertain'
    """
    ends = ", ".join(f"{counts[name]} {words}" for name, words in _IN_WORDS.items() if counts.get(name))
    dropped = "".join(f", {counts[name]} dropped ({words})" for name, words in _THINNED.items() if counts.get(name))
    pairs = f"{counts.get('pairs', 0)} ordered pairs{f' ({ends})' if ends else ''}"
    triples = f"{counts.get('asserted', 0)} asserted, {counts.get('uncertain', 0)} uncertain{dropped}"
    return f"{counts.get('entities', 0)} entities, {pairs}: {triples}"


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """An entity named in a text; `text[start:stop]` of the text is `text` here.

    >>> Mention.at("Ada Kroll met Bo.", 0, 9, type="PERSON")
    Mention(start=0, stop=9, text='Ada Kroll', type='PERSON', id=None)
    """

    start: int
    """The first character."""
    stop: int
    """The character after the last."""
    text: str
    type: str | None = None
    id: str | None = None
    """The knowledge-base id, where known."""

    @classmethod
    def at(cls, text: str, start: int, stop: int, *, type: str | None = None, id: str | None = None) -> Mention:
        """Return the mention at the characters [start, stop) of a text."""
        return cls(start, stop, text[start:stop], type, id)

    def as_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {name: getattr(self, name) for name in ("start", "stop", "text", "type", "id")}


@dataclass(frozen=True, slots=True)
class Triple:
    """A relation between two mentions of a text, from the head to the tail.

    >>> str(Triple(Mention(0, 3, "Ada"), Mention(8, 10, "Bo"), "met", 0.9, 0.1))
    'Ada | met | Bo (0.90)'
    """

    head: Mention
    tail: Mention
    relation: str
    probability: float
    reverse_probability: float
    """The probability of the same relation from the tail to the head: a doubtful direction is visible."""
    evidence: tuple[Evidence, ...] = ()
    """The prototypes and training statements that are close to this statement."""
    name: str = ""
    """What the relation is called, if the model knows a name for its id."""

    @property
    def label(self) -> str:
        """The relation as people read it: its name, or its id."""
        return self.name or self.relation

    def as_json(self) -> dict[str, Any]:
        """Return the triple as JSON values, probabilities with six digits."""
        return {
            "head": self.head.as_json(),
            "tail": self.tail.as_json(),
            "relation": self.relation,
            **({"name": self.name} if self.name else {}),
            "probability": round(self.probability, 6),
            "reverse_probability": round(self.reverse_probability, 6),
            "evidence": [one.as_json() for one in self.evidence],
        }

    def __str__(self) -> str:
        return f"{self.head.text} | {self.label} | {self.tail.text} ({self.probability:.2f})"


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found in one text.

    >>> triple = Triple(Mention(0, 3, "Ada"), Mention(8, 10, "Bo"), "met", 0.9, 0.1)
    >>> found = Extraction((triple,), (), {"entities": 2, "pairs": 2, "asserted": 1}, "Ada met Bo.", "page 1")
    >>> found.as_json()["triples"][0]["tail"]
    {'start': 8, 'stop': 10, 'text': 'Bo', 'type': None, 'id': None}
    """

    triples: tuple[Triple, ...]
    """Asserted triples, in the order of the text."""
    uncertain: tuple[Triple, ...]
    """Triples whose probability is below the threshold but not small."""
    counts: Mapping[str, int]
    """Entities, pairs, and why pairs and answers gave no triple."""
    text: str = field(default="", repr=False)
    document: str = ""
    mentions: tuple[Mention, ...] = field(default=(), repr=False)
    """All entities of the text, in order."""
    calibrated: bool = True
    """Whether the probabilities were calibrated on held-out statements."""
    problem: str | None = None
    """Why this text of a stream could not be read; None if it was."""

    def as_json(self) -> dict[str, Any]:
        """Return what a line of JSONL holds."""
        said = {
            "document": self.document,
            "text": self.text,
            "triples": [triple.as_json() for triple in self.triples],
            "uncertain": [triple.as_json() for triple in self.uncertain],
            "counts": dict(self.counts),
            "calibrated": self.calibrated,
        }
        return said if self.problem is None else said | {"problem": self.problem}

    def _repr_html_(self) -> str:
        """Return the sentences with painted entities and their triples, for notebooks."""
        from protorel.extraction.notebook_display import extraction_html

        return extraction_html(self)
