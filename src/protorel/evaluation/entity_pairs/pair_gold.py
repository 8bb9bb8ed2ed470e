"""The facts of each entity pair, by the labels of its statements or by what they truly express."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.statements import BadInput, Statement


@dataclass(frozen=True, slots=True)
class PairGold:
    """Which pairs are judged, and the relations of each."""

    pairs: NDArray[np.int64]
    relations: tuple[frozenset[str], ...]

    @property
    def facts(self) -> NDArray[np.float64]:
        """How many relations each pair has."""
        return np.array([len(relations) for relations in self.relations], dtype=np.float64)

    def truth(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Tell for each pair and each name whether the pair has that relation."""
        return np.array([[name in relations for name in names] for relations in self.relations], dtype=np.bool_)


def pair_golds(
    statements: Sequence[Statement], owner: NDArray[np.int64], count: int, *, no_relation: str | None = None
) -> tuple[PairGold, PairGold | None]:
    """Return the facts by labels and, where somebody checked the text, by what it expresses.

    By the text only those pairs are judged of whose labelled statements every one was checked.
    """
    by_label: list[set[str]] = [set() for _ in range(count)]
    by_text: list[set[str]] = [set() for _ in range(count)]
    unchecked: set[int] = set()
    checked = False
    for pair, statement in zip(owner.tolist(), statements, strict=True):
        if statement.relation is None or statement.relation == no_relation:
            continue
        by_label[pair].add(statement.relation)
        if statement.expresses is None:
            unchecked.add(pair)
            continue
        checked = True
        if statement.expresses:
            by_text[pair].add(statement.relation)
    if not any(by_label):
        raise BadInput("no statement carries a relation, so there is no fact to be found")
    known = [pair for pair in range(count) if pair not in unchecked]
    text = _gold(known, by_text) if checked and any(by_text[pair] for pair in known) else None
    return _gold(list(range(count)), by_label), text


def _gold(pairs: list[int], relations: list[set[str]]) -> PairGold:
    return PairGold(np.array(pairs, dtype=np.int64), tuple(frozenset(relations[pair]) for pair in pairs))
