"""Labelled statements: those under test, and held-out ones of other relations to learn from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from protorel.statements import BadInput, DataSet, Equivalents, Statement, fingerprint, relation_list

EACH = 80
"""The most statements per held-out relation; more hardly change what is learned."""


def labelled(statements: Sequence[Statement]) -> tuple[list[Statement], list[str]]:
    """Return the statements that have a label, and their labels."""
    kept = [statement for statement in statements if statement.relation is not None]
    if not kept:
        raise BadInput("expected labelled statements, got none with a label")
    return kept, [statement.relation for statement in kept if statement.relation is not None]


def under_test(data: DataSet, *, only: str | None = None) -> tuple[list[Statement], list[str]]:
    """Return the labelled statements of a data set, and their labels; with `only`, those of a list of relations."""
    statements, relations = labelled(list(data.source()))
    if only is None:
        return statements, relations
    chosen = set(relation_list(only))
    kept = [statement for statement in statements if statement.relation in chosen]
    if not kept:
        raise BadInput(
            f"{data.path or data.name}: expected statements of the {len(chosen)} relations of {only}, got none"
        )
    return kept, [relation for relation in relations if relation in chosen]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Labelled statements of other relations than those under test."""

    statements: tuple[Statement, ...]
    relations: tuple[str, ...]
    """The label of each statement."""
    left_out: int
    """The number of relations that are under test, and so were not used."""

    @property
    def names(self) -> list[str]:
        """The relations, sorted."""
        return sorted(set(self.relations))

    def as_json(self) -> dict[str, Any]:
        """Return how many statements and relations were used, and their fingerprint."""
        return {
            "statements": len(self.statements),
            "relations": len(self.names),
            "relations_left_out": self.left_out,
            "fingerprint": fingerprint(self.statements),
        }


def hold_out(statements: Sequence[Statement], tested: Iterable[str], *, equivalents: Equivalents) -> HeldOut:
    """Return the first statements of each relation, without the relations under test or any with their meaning."""
    kept, relations = labelled(statements)
    tested_here = frozenset(equivalents.among(relations, tested))
    seen: dict[str, int] = {}
    chosen = []
    for statement, relation in zip(kept, relations, strict=True):
        seen[relation] = seen.get(relation, 0) + 1
        if relation not in tested_here and seen[relation] <= EACH:
            chosen.append((statement, relation))
    return HeldOut(tuple(s for s, _ in chosen), tuple(r for _, r in chosen), len(tested_here))


def hold_out_of(data: DataSet, tested: Iterable[str], *, equivalents: Equivalents) -> HeldOut:
    """Return statements of a data set as `hold_out` does.

    Raises:
        BadInput: no statement is labelled, or none has another relation.
    """
    statements = list(data.source())
    if all(statement.relation is None for statement in statements):
        raise BadInput(f"{data.path or data.name}: expected labelled statements of other relations, got no label")
    others = hold_out(statements, tested, equivalents=equivalents)
    if not others.statements:
        raise BadInput(
            f"{data.path or data.name}: expected labelled statements of other relations, got only those of the "
            f"{others.left_out} relations under test"
        )
    return others
