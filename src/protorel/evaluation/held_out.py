"""Held-out relations: labelled statements of relations that are not under test, for whatever must be learned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from protorel.evaluation.few_shot import labelled
from protorel.statements import Equivalents, Statement, fingerprint

EACH = 80
"""Statements of each held-out relation that are used: more hardly changes what is learned."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Labelled statements of other relations than those under test."""

    statements: tuple[Statement, ...]
    relations: tuple[str, ...]
    """The label of each statement."""
    left_out: int
    """Relations that are under test, and so were not used."""

    @property
    def names(self) -> list[str]:
        """The relations, sorted."""
        return sorted(set(self.relations))

    def as_json(self) -> dict[str, Any]:
        """Say what was used: how much of it, and by fingerprint which."""
        return {
            "statements": len(self.statements),
            "relations": len(self.names),
            "relations_left_out": self.left_out,
            "fingerprint": fingerprint(self.statements),
        }


def hold_out(statements: Sequence[Statement], tested: Iterable[str], *, equivalents: Equivalents) -> HeldOut:
    """Take the first statements of each relation; relations under test, by meaning, are strictly left out."""
    kept, relations = labelled(statements)
    under_test = frozenset(equivalents.among(relations, tested))
    seen: dict[str, int] = {}
    chosen = []
    for statement, relation in zip(kept, relations, strict=True):
        seen[relation] = seen.get(relation, 0) + 1
        if relation not in under_test and seen[relation] <= EACH:
            chosen.append((statement, relation))
    return HeldOut(tuple(s for s, _ in chosen), tuple(r for _, r in chosen), len(under_test))
