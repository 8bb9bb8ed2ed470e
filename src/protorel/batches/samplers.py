"""Samplers: which rows each training step gets. Balanced over relations, or each row once per epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd

import numpy as np
from numpy.typing import NDArray

from protorel.io import BadInput


@dataclass
class BalancedSampler:
    """Batches of P relations with K statements each; the rows of a step depend only on the seed and the step.

    An epoch is the shortest sequence of batches in which all relations occur equally often. A relation's statements
    are shuffled and taken K at a time; leftovers differ from one shuffle to the next. When several processes share a
    batch, each rank gets its own relations.
    """

    rows_of_relation: Sequence[NDArray[np.int64]]
    """The rows of each relation, by its index."""
    relations_per_batch: int
    statements_per_relation: int
    seed: int
    groups: NDArray[np.int32] | None = None
    """For each row the number of its statement: rows with equal numbers are one statement under several labels."""
    rank: int = 0
    world_size: int = 1
    names: Sequence[str] | None = None
    kind: str = "relation"
    """What the rows are grouped by, for error messages."""
    _shuffled: dict[int, tuple[int, NDArray[np.int64]]] = field(default_factory=dict, init=False, repr=False)
    _orders: tuple[int, NDArray[np.int64]] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        count, per_batch = len(self.rows_of_relation), self.relations_per_batch
        if count < per_batch:
            raise BadInput(
                f"relations_per_batch={per_batch}: expected at least {per_batch} {self.kind}s, got {count}. "
                f"Set relations_per_batch={count} or less"
            )
        if per_batch % self.world_size:
            raise BadInput(
                f"relations_per_batch={per_batch}: expected a multiple of the number of processes, {self.world_size}"
            )
        sizes = [len(rows) for rows in self.rows_of_relation]
        refuse_lone(sizes, self.names, kind=self.kind)

    @property
    def batches_per_epoch(self) -> int:
        """Number of batches per epoch."""
        count = len(self.rows_of_relation)
        return count // gcd(count, self.relations_per_batch)

    def rows(self, step: int) -> list[int]:
        """Return this rank's rows of batch number `step`, counted from 0."""
        epoch, batch = divmod(step, self.batches_per_epoch)
        order = self._order(epoch)
        first = batch * self.relations_per_batch
        rounds_before = epoch * (len(order) // len(self.rows_of_relation))
        taken: set[int] = set()
        dealt: list[list[int]] = []
        for slot in range(first, first + self.relations_per_batch):
            turn = rounds_before + slot // len(self.rows_of_relation)
            dealt.append(self._deal(int(order[slot]), turn, taken))
        mine = dealt[self.rank :: self.world_size]
        return [row for rows in mine for row in rows]

    def _order(self, epoch: int) -> NDArray[np.int64]:
        """Return an epoch's relations in order: shuffled rounds of all relations, none twice in one batch."""
        if self._orders is None or self._orders[0] != epoch:
            rng = np.random.default_rng([self.seed, 0, epoch])
            count, per_batch = len(self.rows_of_relation), self.relations_per_batch
            order: list[int] = []
            for _ in range(per_batch // gcd(count, per_batch)):
                started = order[len(order) - len(order) % per_batch :]
                missing = (per_batch - len(started)) % per_batch
                shuffled = [int(relation) for relation in rng.permutation(count)]
                fresh = [relation for relation in shuffled if relation not in started][:missing]
                order += fresh + [relation for relation in shuffled if relation not in fresh]
            self._orders = (epoch, np.asarray(order))
        return self._orders[1]

    def _deal(self, relation: int, turn: int, taken: set[int]) -> list[int]:
        """Take the next K statements of a relation; skip those that are in the batch under another label."""
        rows, per_relation = self.rows_of_relation[relation], self.statements_per_relation
        turns_in_a_shuffle = max(1, len(rows) // per_relation)
        shuffle, place = divmod(turn, turns_in_a_shuffle)
        order = self._shuffle(relation, shuffle)
        dealt: list[int] = []
        for offset in range(len(rows)):
            row = int(order[(place * per_relation + offset) % len(rows)])
            if self._group(row) not in taken:
                taken.add(self._group(row))
                dealt.append(row)
                if len(dealt) == per_relation:
                    return dealt
        enough = dealt or [int(row) for row in order]
        return [enough[i % len(enough)] for i in range(per_relation)]

    def _shuffle(self, relation: int, number: int) -> NDArray[np.int64]:
        cached = self._shuffled.get(relation)
        if cached is None or cached[0] != number:
            rng = np.random.default_rng([self.seed, 1, relation, number])
            cached = (number, rng.permutation(self.rows_of_relation[relation]))
            self._shuffled[relation] = cached
        return cached[1]

    def _group(self, row: int) -> int:
        return row if self.groups is None else int(self.groups[row])


def refuse_lone(sizes: Sequence[int], names: Sequence[str] | None, *, kind: str = "relation") -> None:
    """Raise `BadInput` if a relation has a single statement, which has no positive to be compared with."""
    if lone := [place for place, size in enumerate(sizes) if size < 2]:
        name = names[lone[0]] if names else f"number {lone[0]}"
        raise BadInput(
            f"{kind} {name!r}: expected at least 2 statements, got {sizes[lone[0]]} "
            f"({len(lone)} such {kind}{'s' * (len(lone) > 1)}). Leave them out with min_statements=2"
        )


def rows_by_relation(relations: NDArray[np.int32], count: int) -> list[NDArray[np.int64]]:
    """Return the rows of each relation index below `count`."""
    order = np.argsort(relations, kind="stable").astype(np.int64)
    bounds = np.searchsorted(relations[order], np.arange(count + 1))
    return [order[bounds[i] : bounds[i + 1]] for i in range(count)]


@dataclass
class ShuffledBatches:
    """Batches of all rows in random order; the rows of a step depend only on the seed and the step.

    Each row occurs once per epoch; the last batch of an epoch may be smaller.
    """

    rows: NDArray[np.int64]
    batch_size: int
    seed: int
    _order: tuple[int, NDArray[np.int64]] | None = field(default=None, init=False, repr=False)

    @property
    def steps_per_epoch(self) -> int:
        """Number of batches per epoch."""
        return -(-len(self.rows) // self.batch_size)

    def batch(self, step: int) -> list[int]:
        """Return the rows of one batch."""
        epoch, place = divmod(step, self.steps_per_epoch)
        if self._order is None or self._order[0] != epoch:
            self._order = epoch, self._epoch(np.random.default_rng([self.seed, 4, epoch]))
        start = place * self.batch_size
        chosen: list[int] = self._order[1][start : start + self.batch_size].tolist()
        return chosen

    def _epoch(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the rows of one epoch, in order."""
        return rng.permutation(self.rows)


class PooledBatches(ShuffledBatches):
    """Batches of several pools of rows, mixed; of a pool with a count, each epoch draws other rows."""

    def __init__(self, pools: Sequence[tuple[NDArray[np.int64], int | None]], batch_size: int, seed: int) -> None:
        self.pools = [(rows, len(rows) if count is None else min(count, len(rows))) for rows, count in pools]
        super().__init__(np.concatenate([rows for rows, _ in self.pools]), batch_size, seed)

    @property
    def rows_per_epoch(self) -> int:
        """Number of rows per epoch."""
        return sum(count for _, count in self.pools)

    @property
    def steps_per_epoch(self) -> int:
        """Number of batches per epoch."""
        return -(-self.rows_per_epoch // self.batch_size)

    def _epoch(self, rng: np.random.Generator) -> NDArray[np.int64]:
        drawn = [rows if count == len(rows) else rng.permutation(rows)[:count] for rows, count in self.pools]
        return rng.permutation(np.concatenate(drawn))
