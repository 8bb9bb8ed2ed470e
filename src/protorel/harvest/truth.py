"""How right a harvest of the small world is, where every mention and every statement is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from protorel.corpora import SmallWorld
from protorel.statements import Statement


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was found beside what is there."""

    found: int
    there: int
    both: int

    @property
    def precision(self) -> float:
        """The share of what was found that is there."""
        return self.both / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """The share of what is there that was found."""
        return self.both / self.there if self.there else 0.0

    def as_json(self) -> dict[str, Any]:
        """Return counts and shares."""
        return {**asdict(self), "precision": self.precision, "recall": self.recall}


@dataclass(frozen=True, slots=True)
class HarvestTruth:
    """Agreement with the world, in mentions and in labelled pairs."""

    mentions: Agreement
    statements: Agreement


def compared(world: SmallWorld, found: Iterable[Statement]) -> HarvestTruth:
    """Set harvested statements beside those that the world itself makes of its text and facts.

    A mention is right where document, sentence, place and entity are; a statement where its mentions and label are.
    """
    theirs, ours = _parts(world.train), _parts(list(found))
    both = (_agreement(mine, true) for mine, true in zip(ours, theirs, strict=True))
    return HarvestTruth(*both)


def _parts(statements: Sequence[Statement]) -> tuple[set[Any], set[Any]]:
    mentions, rows = set(), set()
    for one in statements:
        ends = ((one.head, one.head_id, one.head_type), (one.tail, one.tail_id, one.tail_type))
        mentions |= {(one.document, one.text, *end) for end in ends}
        rows.add((one.document, one.text, *ends, one.relation))
    return mentions, rows


def _agreement(found: set[Any], there: set[Any]) -> Agreement:
    return Agreement(len(found), len(there), len(found & there))
