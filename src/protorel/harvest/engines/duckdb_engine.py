"""The alignment on one machine: processes find mentions, DuckDB joins them with facts within a memory limit."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from protorel.harvest.engines.alignment import AlignmentCounts, AlignmentRule, as_statements
from protorel.harvest.engines.shards import Shard, ShardTask, do_shard
from protorel.harvest.libraries import library, memory_bound
from protorel.harvest.records import PairsRecord, read_record, readable
from protorel.io import check_count, write_json, written_whole
from protorel.statements import WorkFailed

_ORDER = "place, head_start, tail_start, relation"
_TASKS_PER_WORKER = 2
"""One in work, one waiting."""


@dataclass(frozen=True, slots=True)
class DuckDBEngine:
    """A harvest on one machine; what does not fit into memory is spilled to disk.

    Raises:
        BadInput: a setting has the wrong type or is out of range.

    >>> DuckDBEngine(workers=2, memory="4 gb").memory
    '4GB'
    """

    workers: int = 1
    """Processes that find mentions."""
    memory: str = "2GB"
    """Memory limit of the join."""
    threads: int | None = None
    """Threads of the join; None for all cores."""
    name = "duckdb"

    def __post_init__(self) -> None:
        check_count(self.workers, where="workers")
        object.__setattr__(self, "memory", memory_bound(self.memory, least=1))
        if self.threads is not None:
            check_count(self.threads, where="threads")

    def find(self, tasks: Iterable[ShardTask]) -> Iterator[Shard]:
        """Find mentions in this process, or in several."""
        return do_in_processes(tasks, workers=self.workers)

    def align(
        self, shards: Sequence[Shard], facts: Path, *, work: Path, out: Path, rule: AlignmentRule
    ) -> AlignmentCounts:
        """Join shard by shard, choose among all rows, and write one part per shard."""
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
            raise WorkFailed(f"the join needs more memory than {self.memory}; raise --memory") from problem
        except duckdb.Error as problem:
            first_line = str(problem).partition("\n")[0][:300]
            raise WorkFailed(
                f"{work}: intermediate files cannot be joined ({first_line}). Remove that folder and start again"
            ) from problem


def _align_shard(connection: Any, shard: Shard, facts: Path, aligned: Path, rule: AlignmentRule) -> None:
    """Write the aligned rows of one shard and its counts, each atomically."""
    views = rule.views()
    for name, path in (("mentions", shard.mentions), ("sentences", shard.sentences), ("facts", facts)):
        _register(connection, name, [path])
    for name in ("pairs", "labelled", "aligned"):
        connection.execute(views[name])
    ((pairs,),) = connection.sql("SELECT COUNT(*) FROM pairs").fetchall()
    write_json(_counts(aligned, shard), {"pairs": pairs})
    with written_whole(_part(aligned, shard)) as partial:
        rows = connection.sql(f"SELECT * FROM aligned ORDER BY {_ORDER}")
        pq.write_table(rows.to_arrow_table(), partial, compression="zstd")


def _choose(connection: Any, shards: Sequence[Shard], aligned: Path, out: Path, rule: AlignmentRule) -> AlignmentCounts:
    views = rule.views()
    _register(connection, "aligned", [_part(aligned, shard) for shard in shards])
    ((rows, distinct),) = connection.sql("SELECT COUNT(*), COUNT(DISTINCT says) FROM aligned").fetchall()
    # Chosen once, not again for every shard.
    connection.execute(views["chosen"])
    connection.execute("CREATE TEMPORARY TABLE chosen_once AS SELECT place, id FROM chosen")
    connection.execute("CREATE OR REPLACE TEMPORARY VIEW chosen AS SELECT * FROM chosen_once")
    per_relation: Counter[str] = Counter()
    with written_whole(out) as partial:
        partial.mkdir()
        for shard in shards:
            _register(connection, "aligned", [_part(aligned, shard)])
            connection.execute(views["statements"])
            table = connection.sql(f"SELECT * FROM statements ORDER BY {_ORDER}").to_arrow_table()
            if table.num_rows:
                per_relation.update(table["relation"].to_pylist())
                pq.write_table(as_statements(table), partial / f"{shard.number:06d}.parquet", compression="zstd")
    pairs = sum(read_record(_counts(aligned, shard), PairsRecord).pairs for shard in shards)
    return AlignmentCounts(pairs, rows, distinct, dict(sorted(per_relation.items())))


def _register(connection: Any, name: str, paths: Sequence[Path]) -> None:
    # A view takes no parameters, so the file names are quoted in its SQL.
    listed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
    connection.execute(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS SELECT * FROM read_parquet([{listed}])")


def _part(folder: Path, shard: Shard) -> Path:
    return folder / f"{shard.number:06d}.parquet"


def _counts(folder: Path, shard: Shard) -> Path:
    return folder / f"{shard.number:06d}.json"


def do_in_processes(tasks: Iterable[ShardTask], *, workers: int) -> Iterator[Shard]:
    """Do the tasks in `workers` processes; yield each shard when it has been tried.

    Tasks are drawn no faster than they are worked on, so memory stays flat however long the text is. When a process
    dies, any of the pending shards may be the cause: all are tried once more, each in a process of its own. A shard
    that fails again is yielded too, but its folder does not exist.
    """
    if workers <= 1:
        for task in tasks:
            do_shard(task)
            yield task.shard
        return
    remaining = iter(tasks)
    suspects: list[ShardTask] = []
    broken = True
    while broken:
        pending: dict[int, ShardTask] = {}
        try:
            with _pool(workers) as pool:
                yield from _run(pool, remaining, pending, workers * _TASKS_PER_WORKER)
            broken = False
        except BrokenProcessPool:
            suspects += pending.values()
    for task in suspects:
        if not task.shard.is_done:
            _try_alone(task)
        yield task.shard


def _run(
    pool: ProcessPoolExecutor, tasks: Iterator[ShardTask], pending: dict[int, ShardTask], limit: int
) -> Iterator[Shard]:
    """Keep `limit` tasks in the pool; `pending` always holds those that are not known to be done."""
    running: dict[Future[int], ShardTask] = {}
    for task in tasks:
        pending[task.number] = task
        running[pool.submit(do_shard, task)] = task
        if len(running) >= limit:
            yield from _finished(running, pending)
    while running:
        yield from _finished(running, pending)


def _finished(running: dict[Future[int], ShardTask], pending: dict[int, ShardTask]) -> Iterator[Shard]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        future.result()
        task = running.pop(future)
        del pending[task.number]
        yield task.shard


def _try_alone(task: ShardTask) -> None:
    try:
        with _pool(1) as pool:
            pool.submit(do_shard, task).result()
    except BrokenProcessPool:
        # The shard's folder does not exist, which tells its reader.
        return


def _pool(workers: int) -> ProcessPoolExecutor:
    # New processes: one forked from a process with threads of other libraries may hang.
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_ignore_interrupts)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
