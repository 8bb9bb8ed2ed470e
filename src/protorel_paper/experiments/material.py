"""Training statements of an experiment without overlap with its test set, and nested draws from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from protorel.statements import (
    BadInput,
    DataSet,
    Equivalents,
    Statement,
    find_leakage,
    relation_list,
    select,
)
from protorel.training import Recipe
from protorel_paper.experiments.lists import Amount


@dataclass(frozen=True, slots=True)
class Material:
    """Labelled statements by relation, of relations that have at least two."""

    by_relation: Mapping[str, Sequence[Statement]]
    data: Mapping[str, Any]
    """Name, fingerprint and counts of their file."""
    removed: Mapping[str, Any]
    """Counts of what was removed because the test set shares it."""
    fingerprint: str
    """Of the statements that can be drawn."""

    def relations(self, amount: Amount, *, seed: int) -> list[str]:
        """Draw relations; with one seed, a smaller draw is part of a larger one."""
        names = sorted(self.by_relation)
        order = np.random.default_rng([seed, 0]).permutation(len(names))
        return [names[index] for index in order[:amount]]

    def statements(self, relation: str, *, seed: int) -> list[Statement]:
        """Return a relation's statements in an order drawn by the seed; the first n are a draw of n."""
        own = self.by_relation[relation]
        place = sorted(self.by_relation).index(relation)
        return [own[index] for index in np.random.default_rng([seed, 1, place]).permutation(len(own))]

    def draw(self, relations: Amount, statements: Amount, *, seed: int) -> list[Statement]:
        """Draw relations and statements of each; a relation that has fewer gives all of them."""
        drawn = self.relations(relations, seed=seed)
        return [one for relation in drawn for one in self.statements(relation, seed=seed)[:statements]]

    def check(self, *, relations: Iterable[Amount], statements: Iterable[Amount]) -> None:
        """Refuse amounts that cannot be drawn."""
        have, most = len(self.by_relation), max(map(len, self.by_relation.values()))
        where = self.data["name"]
        for amount in relations:
            if amount is not None and amount > have:
                raise BadInput(f"{where}: expected at least {amount} relations to train on, got {have}")
        for amount in statements:
            if amount == 1:
                raise BadInput("statements per relation: expected 0 or at least 2, got 1; training compares pairs")
            if amount is not None and amount > most:
                raise BadInput(f"{where}: expected a relation with {amount} statements, the largest has {most}")


def gather(
    data: DataSet, test: DataSet, recipes: Iterable[Recipe], *, equivalents: Equivalents, true_only: bool = False
) -> Material:
    """Read training statements without overlap with the test set and without relations that a recipe leaves out.

    `true_only` also leaves out statements that are known not to express their relation.
    """
    recipes = list(recipes)
    without = {name for one in recipes if one.without_relations for name in relation_list(one.without_relations)}
    held = [statement for statement in data.source() if statement.relation not in without]
    leakage = find_leakage(held, test.source(), equivalents=equivalents)
    clean = list(leakage.remainder(held))
    usable = [one for one in clean if one.relation is not None and not (true_only and one.expresses is False)]
    chosen = select(lambda: usable, min_statements=max([2, *(one.min_statements for one in recipes)]))
    by_relation: dict[str, list[Statement]] = {name: [] for name in chosen.counts}
    for statement in chosen.source():
        by_relation[str(statement.relation)].append(statement)
    if len(by_relation) < 2:
        raise BadInput(
            f"{data.path or data.name}: expected at least 2 relations with two or more statements after overlap with "
            f"{test.name} was removed, got {len(by_relation)}"
        )
    return Material(by_relation, data.described(), leakage.counts(), chosen.fingerprint)
