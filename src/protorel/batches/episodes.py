"""Few-shot episodes: some relations, a few statements of each to learn from, one of each to judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.batches.entity_pairs import draw_apart
from protorel.io import BadInput


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

    def part(self, start: int, stop: int) -> Episodes:
        """Return some of the episodes."""
        return Episodes(self.relations[start:stop], self.support[start:stop], self.query[start:stop])

    def rows(self) -> NDArray[np.int64]:
        """Return the rows that were drawn, each once, however often it was."""
        return np.unique(np.concatenate([self.support.ravel(), self.query.ravel()]))


def draw_episodes(
    rows_of_relation: Sequence[NDArray[np.int64]],
    *,
    way: int,
    shot: int,
    count: int,
    seed: int,
    groups: NDArray[np.int64] | None = None,
    names: Sequence[str] | None = None,
) -> Episodes:
    """Draw episodes by seed alone: the same arguments give the same episodes on every machine.

    Within an episode the relations differ, and a relation's examples and query are different rows. With `groups`, the
    number of each row's entity pair, no query is about a pair that an example of its episode is about. `names` are
    those of the relations, for messages.
    """
    if len(rows_of_relation) < way:
        raise BadInput(f"the data has {len(rows_of_relation)} relations, {way} ways need at least {way}")
    _refuse_small(rows_of_relation, shot, names)
    rng = np.random.default_rng([seed, way, shot] if groups is None else [seed, way, shot, 1])
    apart = None if groups is None else draw_apart(rows_of_relation, groups, shot=shot, names=names)
    relations = np.empty((count, way), dtype=np.int64)
    drawn = np.empty((count, way, shot + 1), dtype=np.int64)
    for episode in range(count):
        relations[episode] = rng.choice(len(rows_of_relation), way, replace=False)
        if apart is not None:
            drawn[episode] = apart(relations[episode], rng)
            continue
        for place, relation in enumerate(relations[episode]):
            drawn[episode, place] = rng.choice(rows_of_relation[relation], shot + 1, replace=False)
    return Episodes(relations, drawn[:, :, :shot], drawn[:, :, shot])


def _refuse_small(rows_of_relation: Sequence[NDArray[np.int64]], shot: int, names: Sequence[str] | None) -> None:
    small = [relation for relation, rows in enumerate(rows_of_relation) if len(rows) < shot + 1]
    if not small:
        return
    smallest = min(small, key=lambda relation: len(rows_of_relation[relation]))
    named = f"relation {names[smallest]!r}" if names else "a relation"
    more = f" ({len(small)} such relations)" if len(small) > 1 else ""
    raise BadInput(
        f"{named} has {len(rows_of_relation[smallest])} statements, {shot} shots and a query need {shot + 1}{more}; "
        "take fewer shots, or list the relations to evaluate in a file (--only FILE)"
    )
