"""The alignment on one machine: processes find mentions, DuckDB joins on all cores within a bound of memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from protorel.harvest.alignment import AlignmentRule
from protorel.harvest.engine import AlignmentCounts, as_statements
from protorel.harvest.libraries import library
from protorel.harvest.processes import do_in_processes
from protorel.harvest.records import PairsRecord, read_record, readable
from protorel.harvest.shard_work import ShardTask
from protorel.harvest.shards import Shard
from protorel.io import write_json, written_whole
from protorel.statements import WorkFailed

_ORDER = "place, head_start, tail_start, relation"


@dataclass(frozen=True, slots=True)
class DuckDBEngine:
    """One machine; what does not fit into memory is spilled to a folder."""

    workers: int = 1
    memory: str = "2GB"
    threads: int | None = None
    """For the join; none for all cores."""
    name = "duckdb"

    def find(self, tasks: Iterable[ShardTask]) -> Iterator[Shard]:
        """Find mentions in this process, or in several."""
        return do_in_processes(tasks, workers=self.workers)

    def align(
        self, shards: Sequence[Shard], facts: Path, *, work: Path, out: Path, rule: AlignmentRule
    ) -> AlignmentCounts:
        """Join shard by shard, choose among all rows, and write a part for each shard."""
        duckdb = library("duckdb")
        settings: dict[str, Any] = {"memory_limit": self.memory, "temp_directory": str(work / "spilled")}
        settings |= {"threads": self.threads} if self.threads else {}
        aligned = work / "aligned"
        try:
            with duckdb.connect(config=settings) as connection:
                for shard in shards:
                    if not _part(aligned, shard).exists() or not readable(_counts(aligned, shard), PairsRecord):
                        _align_shard(connection, shard, facts, aligned, rule)
                return _choose(connection, shards, aligned, out, rule)
        except duckdb.OutOfMemoryException as problem:
            raise WorkFailed(f"the join needs more than {self.memory} of memory; give more by --memory") from problem
        except duckdb.Error as problem:
            first_line = str(problem).partition("\n")[0][:300]
            raise WorkFailed(
                f"{work}: what lies between cannot be joined ({first_line}); remove that folder and start again"
            ) from problem


def _align_shard(connection: Any, shard: Shard, facts: Path, aligned: Path, rule: AlignmentRule) -> None:
    """Write the aligned rows of one shard, and its counts, whole or not at all."""
    views = rule.views()
    for name, path in (("mentions", shard.mentions), ("sentences", shard.sentences), ("facts", facts)):
        _register(connection, name, [path])
    for name in ("pairs", "labelled", "aligned"):
        connection.execute(views[name])
    ((pairs,),) = connection.sql("SELECT COUNT(*) FROM pairs").fetchall()
    write_json(_counts(aligned, shard), {"pairs": pairs})
    with written_whole(_part(aligned, shard)) as beside:
        rows = connection.sql(f"SELECT * FROM aligned ORDER BY {_ORDER}")
        pq.write_table(rows.to_arrow_table(), beside, compression="zstd")


def _choose(connection: Any, shards: Sequence[Shard], aligned: Path, out: Path, rule: AlignmentRule) -> AlignmentCounts:
    views = rule.views()
    _register(connection, "aligned", [_part(aligned, shard) for shard in shards])
    ((rows, distinct),) = connection.sql("SELECT COUNT(*), COUNT(DISTINCT says) FROM aligned").fetchall()
    # Chosen once, not again for every shard.
    connection.execute(views["chosen"])
    connection.execute("CREATE TEMPORARY TABLE chosen_once AS SELECT place, id FROM chosen")
    connection.execute("CREATE OR REPLACE TEMPORARY VIEW chosen AS SELECT * FROM chosen_once")
    per_relation: Counter[str] = Counter()
    with written_whole(out) as beside:
        beside.mkdir()
        for shard in shards:
            _register(connection, "aligned", [_part(aligned, shard)])
            connection.execute(views["statements"])
            table = connection.sql(f"SELECT * FROM statements ORDER BY {_ORDER}").to_arrow_table()
            if table.num_rows:
                per_relation.update(table["relation"].to_pylist())
                pq.write_table(as_statements(table), beside / f"{shard.number:06d}.parquet", compression="zstd")
    pairs = sum(read_record(_counts(aligned, shard), PairsRecord).pairs for shard in shards)
    return AlignmentCounts(pairs, rows, distinct, dict(sorted(per_relation.items())))


def _register(connection: Any, name: str, paths: Sequence[Path]) -> None:
    # A view's text takes no parameters, so that the names of files stand in it as quoted texts.
    listed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
    connection.execute(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS SELECT * FROM read_parquet([{listed}])")


def _part(folder: Path, shard: Shard) -> Path:
    return folder / f"{shard.number:06d}.parquet"


def _counts(folder: Path, shard: Shard) -> Path:
    return folder / f"{shard.number:06d}.json"
