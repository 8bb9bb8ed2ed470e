"""The alignment on a cluster: Spark's workers find mentions, and Spark runs the SQL script.

Every worker needs protorel installed and must see the output folder under the same path.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from protorel.harvest.engines.alignment import AlignmentCounts, AlignmentRule
from protorel.harvest.engines.shards import Shard, ShardTask, do_shard
from protorel.harvest.libraries import library
from protorel.io import check_type, written_whole
from protorel.statements import BadInput

_AHEAD = 4
"""Shards sent at a time per core of the cluster."""


@dataclass(frozen=True, slots=True)
class SparkEngine:
    """A harvest on a Spark cluster, or with `local[2]` on two threads of this machine.

    Raises:
        BadInput: the master is not text.

    >>> SparkEngine("local[2]").name
    'spark'
    """

    master: str = "local[*]"
    """The URL of the master."""
    name = "spark"

    def __post_init__(self) -> None:
        check_type(self.master, str, where="master", expected="the URL of a Spark master, such as 'local[2]'")

    def find(self, tasks: Iterable[ShardTask]) -> Iterator[Shard]:
        """Find mentions on the workers, a few shards per core at a time."""
        context = _session(self.master).sparkContext
        remaining = iter(tasks)
        while some := list(islice(remaining, _AHEAD * context.defaultParallelism)):
            context.parallelize(some, len(some)).map(do_shard).collect()
            yield from (task.shard for task in some)

    def align(
        self, shards: Sequence[Shard], facts: Path, *, work: Path, out: Path, rule: AlignmentRule
    ) -> AlignmentCounts:
        """Run the SQL script over all shards; the workers write the parts."""
        session, views = _session(self.master), rule.views()
        mentions, sentences = [shard.mentions for shard in shards], [shard.sentences for shard in shards]
        for name, paths in (("mentions", mentions), ("sentences", sentences), ("facts", [facts])):
            session.read.parquet(*map(str, paths)).createOrReplaceTempView(name)
        for name in ("pairs", "labelled", "aligned"):
            session.sql(views[name])
        pairs = session.table("pairs").count()
        # Written once: it is read several times.
        aligned = str(work / "aligned.spark")
        session.table("aligned").write.mode("overwrite").parquet(aligned)
        session.read.parquet(aligned).createOrReplaceTempView("aligned")
        for name in ("chosen", "statements"):
            session.sql(views[name])
        (rows, distinct) = session.sql("SELECT COUNT(*), COUNT(DISTINCT says) FROM aligned").first()
        with written_whole(out) as partial:
            session.table("statements").drop("place").write.parquet(str(partial))
            written = session.read.parquet(str(partial)).groupBy("relation").count().collect()
        per_relation = {row["relation"]: row["count"] for row in written}
        return AlignmentCounts(pairs, rows, distinct, dict(sorted(per_relation.items())))

    def stop(self) -> None:
        """Stop the Spark session."""
        _session(self.master).stop()


def _session(master: str) -> Any:
    sql = library("pyspark.sql", extra="spark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise BadInput(
            "--engine spark: expected Java 17 or newer on the path, found no java. Install it or use --engine duckdb"
        )
    # Workers on this machine use this interpreter; on others, PYSPARK_PYTHON names it.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.master(master).appName("protorel harvest")
    for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(name, "false")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    # Spark's default of 200 partitions is too many for a small cluster.
    session.conf.set("spark.sql.shuffle.partitions", str(3 * session.sparkContext.defaultParallelism))
    return session
