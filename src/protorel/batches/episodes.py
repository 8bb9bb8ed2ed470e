"""Few-shot episodes: some relations, a few statements of each to learn from, one of each to judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.statements import BadInput


@dataclass(frozen=True, slots=True)
class Episodes:
    """Many episodes as rows of a data set; the first axis counts episodes."""

    relations: NDArray[np.int64]
    """episodes × way: which relations."""
    support: NDArray[np.int64]
    """episodes × way × shot: the rows given as examples."""
    query: NDArray[np.int64]
    """episodes × way: one row of each relation to be judged."""

    def __len__(self) -> int:
        return len(self.query)


def draw_episodes(
    rows_of_relation: Sequence[NDArray[np.int64]], *, way: int, shot: int, count: int, seed: int
) -> Episodes:
    """Draw episodes by seed alone: the same arguments give the same episodes on every machine.

    Within an episode the relations differ, and a relation's examples and query are different rows.
    """
    if len(rows_of_relation) < way:
        raise BadInput(f"the data has {len(rows_of_relation)} relations, {way} ways need at least {way}")
    smallest = min(range(len(rows_of_relation)), key=lambda i: len(rows_of_relation[i]))
    if len(rows_of_relation[smallest]) < shot + 1:
        raise BadInput(
            f"a relation has {len(rows_of_relation[smallest])} statements, {shot} shots and a query need {shot + 1}"
        )
    rng = np.random.default_rng([seed, way, shot])
    relations = np.empty((count, way), dtype=np.int64)
    drawn = np.empty((count, way, shot + 1), dtype=np.int64)
    for episode in range(count):
        relations[episode] = rng.choice(len(rows_of_relation), way, replace=False)
        for place, relation in enumerate(relations[episode]):
            drawn[episode, place] = rng.choice(rows_of_relation[relation], shot + 1, replace=False)
    return Episodes(relations, drawn[:, :, :shot], drawn[:, :, shot])
