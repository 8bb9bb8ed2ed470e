"""What an engine does: it finds mentions shard by shard, and runs the one SQL text over what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from protorel.harvest.alignment import NO_RELATION, AlignmentRule
from protorel.harvest.shard_work import ShardTask
from protorel.harvest.shards import Shard
from protorel.statements import SCHEMA


@dataclass(frozen=True, slots=True)
class AlignmentCounts:
    """How many rows each step of the alignment left."""

    pairs: int
    """Ordered pairs of different entities in a sentence."""
    aligned: int
    """Rows: one for each relation of each pair, and the sampled pairs without one."""
    distinct: int
    """Rows that say different things."""
    per_relation: dict[str, int]
    """Statements written, by relation."""

    @property
    def statements(self) -> int:
        """Rows that caps and floors left."""
        return sum(self.per_relation.values())

    def as_json(self) -> dict[str, int]:
        """Return the counts as the manifest has them."""
        return {
            "ordered pairs of entities in a sentence": self.pairs,
            "rows, one for each relation of a pair": self.aligned,
            "dropped: says what another row says": self.aligned - self.distinct,
            "dropped: by the cap or the floor of its relation": self.distinct - self.statements,
            "statements": self.statements,
            "statements without a relation": self.per_relation.get(NO_RELATION, 0),
            "relations": len(self.per_relation.keys() - {NO_RELATION}),
        }


class Engine(Protocol):
    """One machine, or many."""

    name: str

    def find(self, tasks: Iterable[ShardTask]) -> Iterator[Shard]:
        """Do the shards that are not done yet; yield each when it is, in whatever order."""
        ...

    def align(
        self, shards: Sequence[Shard], facts: Path, *, work: Path, out: Path, rule: AlignmentRule
    ) -> AlignmentCounts:
        """Write the statements of the shards as Parquet parts to the folder `out`; `work` is for what lies between."""
        ...


def as_statements(table: pa.Table) -> pa.Table:
    """Return rows of the view `statements` with the columns and types of statements on disk."""
    return table.select(SCHEMA.names).cast(SCHEMA)
