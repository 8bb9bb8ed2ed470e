"""Training statements of an experiment, kept apart from its test set, and nested draws from them."""

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
    """Name, fingerprint and counts of the file they come from."""
    removed: Mapping[str, Any]
    """What was dropped because the test set shares it, counted."""
    fingerprint: str
    """Of the statements that can be drawn."""

    def relations(self, amount: Amount, *, seed: int) -> list[str]:
        """Draw relations; of two draws by one seed the smaller lies within the larger."""
        names = sorted(self.by_relation)
        order = np.random.default_rng([seed, 0]).permutation(len(names))
        return [names[index] for index in order[:amount]]

    def statements(self, relation: str, *, seed: int) -> list[Statement]:
        """Return a relation's statements in an order drawn by the seed: the first n of them are a draw of n."""
        own = self.by_relation[relation]
        place = sorted(self.by_relation).index(relation)
        return [own[index] for index in np.random.default_rng([seed, 1, place]).permutation(len(own))]

    def draw(self, relations: Amount, statements: Amount, *, seed: int) -> list[Statement]:
        """Draw so many relations and so many statements of each; a relation that has fewer gives all of them."""
        drawn = self.relations(relations, seed=seed)
        return [one for relation in drawn for one in self.statements(relation, seed=seed)[:statements]]

    def check(self, *, relations: Iterable[Amount], statements: Iterable[Amount]) -> None:
        """Refuse amounts that cannot be drawn."""
        have, most = len(self.by_relation), max(map(len, self.by_relation.values()))
        where = self.data["name"]
        for amount in relations:
            if amount is not None and amount > have:
                raise BadInput(f"{where}: {amount} relations are wanted, {have} can be trained on")
        for amount in statements:
            if amount == 1:
                raise BadInput("1 statement a relation is wanted, at least 2 are needed to compare one with another")
            if amount is not None and amount > most:
                raise BadInput(f"{where}: {amount} statements a relation are wanted, no relation has more than {most}")


def gather(
    data: DataSet, test: DataSet, recipes: Iterable[Recipe], *, equivalents: Equivalents, true_only: bool = False
) -> Material:
    """Read training statements without what they share with the test set, nor relations that a recipe leaves out.

    `true_only` leaves out statements of which somebody knows that they do not express their relation.
    """
    recipes = list(recipes)
    without = {name for one in recipes if one.without_relations for name in relation_list(one.without_relations)}
    held = [statement for statement in data.source() if statement.relation not in without]
    leakage = find_leakage(held, test.source(), equivalents=equivalents)
    apart = list(leakage.remainder(held))
    usable = [one for one in apart if one.relation is not None and not (true_only and one.expresses is False)]
    chosen = select(lambda: usable, min_statements=max([2, *(one.min_statements for one in recipes)]))
    by_relation: dict[str, list[Statement]] = {name: [] for name in chosen.counts}
    for statement in chosen.source():
        by_relation[str(statement.relation)].append(statement)
    if len(by_relation) < 2:
        raise BadInput(
            f"{data.path or data.name}: {len(by_relation)} relations with two or more statements are left beside "
            f"{test.name}, at least 2 are wanted"
        )
    return Material(by_relation, data.described(), leakage.counts(), chosen.fingerprint)
