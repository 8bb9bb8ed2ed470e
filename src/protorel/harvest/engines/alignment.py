"""How mentions and facts become statements: one SQL script for all engines, its settings, and what an engine does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from protorel.harvest.engines.shards import Shard, ShardTask
from protorel.statements import NO_RELATION, SCHEMA, BadInput

_VIEW = re.compile(r"CREATE OR REPLACE TEMPORARY VIEW (\w+) AS.*?;", re.DOTALL)
_NO_CAP = 2**62


@dataclass(frozen=True, slots=True)
class AlignmentRule:
    """Settings of the alignment; everything else is in `align.sql`."""

    most: int | None = None
    """The most statements per relation; None for all."""
    fewest: int = 1
    """Relations with fewer statements are left out."""
    no_relation: float = 0.0
    """The share of pairs without a fact to keep, labelled `no_relation`."""
    seed: int = 0
    """Random seed for the choices."""
    source: str = "harvest"
    """The source named in every statement."""

    def __post_init__(self) -> None:
        if self.most is not None and self.most < 1:
            raise BadInput(f"most: expected at least 1 statement per relation, got {self.most}")
        if self.fewest < 1:
            raise BadInput(f"fewest: expected at least 1 statement per relation, got {self.fewest}")
        if not 0 <= self.no_relation <= 1:
            raise BadInput(f"no_relation: expected a share from 0 to 1, got {self.no_relation}")

    def views(self) -> dict[str, str]:
        """Return the SQL of each view, in order."""
        text = _text()
        for name, value in self._values().items():
            text = text.replace(f"{{{name}}}", value)
        return {found[1]: found[0].removesuffix(";") for found in _VIEW.finditer(text)}

    def _values(self) -> dict[str, str]:
        # A hash is 32 hexadecimal digits: the share of hashes below this string is `no_relation`; all are below "g".
        threshold = "g" if self.no_relation == 1 else f"{int(self.no_relation * 16**15):015x}"
        most = _NO_CAP if self.most is None else self.most
        return {
            "seed": str(self.seed),
            "threshold": threshold if self.no_relation else "",
            "no_relation": NO_RELATION,
            "most": str(most),
            "fewest": str(self.fewest),
            "source": self.source.replace("'", "''"),
        }


@lru_cache(maxsize=1)
def _text() -> str:
    text = files("protorel.harvest.engines").joinpath("align.sql").read_text(encoding="utf-8")
    # Comments may hold text that looks like a view.
    return re.sub(r"^--.*\n", "", text, flags=re.MULTILINE)


@dataclass(frozen=True, slots=True)
class AlignmentCounts:
    """The number of rows after each step of the alignment."""

    pairs: int
    """Ordered pairs of different entities in a sentence."""
    aligned: int
    """Rows: one per relation of each pair, and the sampled pairs without one."""
    distinct: int
    """Rows with different text, spans or label."""
    per_relation: dict[str, int]
    """Statements written, by relation."""

    @property
    def statements(self) -> int:
        """Rows left after cap and floor."""
        return sum(self.per_relation.values())

    def as_json(self) -> dict[str, int]:
        """Return the counts as in the manifest."""
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
    """Finds mentions shard by shard and runs `align.sql`, on one machine or many."""

    name: str

    def find(self, tasks: Iterable[ShardTask]) -> Iterator[Shard]:
        """Do the tasks; yield each shard when it is done, in any order."""
        ...

    def align(
        self, shards: Sequence[Shard], facts: Path, *, work: Path, out: Path, rule: AlignmentRule
    ) -> AlignmentCounts:
        """Write the statements of the shards as Parquet to the folder `out`; `work` is for intermediate files."""
        ...


def as_statements(table: pa.Table) -> pa.Table:
    """Return rows of the view `statements` with the columns and types of stored statements."""
    return table.select(SCHEMA.names).cast(SCHEMA)
