"""The same alignment on many machines: Spark runs the package's own function on its workers, and the same SQL text.

Every worker must have protorel installed and see the output folder under the same path.
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

from protorel.harvest.alignment import AlignmentRule
from protorel.harvest.engine import AlignmentCounts
from protorel.harvest.libraries import library
from protorel.harvest.shard_work import ShardTask, do_shard
from protorel.harvest.shards import Shard
from protorel.io import written_whole
from protorel.statements import BadInput

_AHEAD = 4
"""Shards sent at a time for each core of the cluster."""


@dataclass(frozen=True, slots=True)
class SparkEngine:
    """A cluster, or `local[2]` for two threads of this machine."""

    master: str = "local[*]"
    name = "spark"

    def find(self, tasks: Iterable[ShardTask]) -> Iterator[Shard]:
        """Find mentions on the workers, some shards for each core at a time."""
        context = _session(self.master).sparkContext
        remaining = iter(tasks)
        while some := list(islice(remaining, _AHEAD * context.defaultParallelism)):
            context.parallelize(some, len(some)).map(do_shard).collect()
            yield from (task.shard for task in some)

    def align(
        self, shards: Sequence[Shard], facts: Path, *, work: Path, out: Path, rule: AlignmentRule
    ) -> AlignmentCounts:
        """Run the whole SQL text over all shards; the workers write the parts."""
        session, views = _session(self.master), rule.views()
        mentions, sentences = [shard.mentions for shard in shards], [shard.sentences for shard in shards]
        for name, paths in (("mentions", mentions), ("sentences", sentences), ("facts", [facts])):
            session.read.parquet(*map(str, paths)).createOrReplaceTempView(name)
        for name in ("pairs", "labelled", "aligned"):
            session.sql(views[name])
        pairs = session.table("pairs").count()
        # Written once: what follows looks at it several times.
        between = str(work / "aligned.spark")
        session.table("aligned").write.mode("overwrite").parquet(between)
        session.read.parquet(between).createOrReplaceTempView("aligned")
        for name in ("chosen", "statements"):
            session.sql(views[name])
        (rows, distinct) = session.sql("SELECT COUNT(*), COUNT(DISTINCT says) FROM aligned").first()
        with written_whole(out) as beside:
            session.table("statements").drop("place").write.parquet(str(beside))
            written = session.read.parquet(str(beside)).groupBy("relation").count().collect()
        per_relation = {row["relation"]: row["count"] for row in written}
        return AlignmentCounts(pairs, rows, distinct, dict(sorted(per_relation.items())))

    def stop(self) -> None:
        """Let go of the cluster."""
        _session(self.master).stop()


def _session(master: str) -> Any:
    sql = library("pyspark.sql", extra="spark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise BadInput(
            "--engine spark needs Java 17 or newer, and there is no java on the path; --engine duckdb does not"
        )
    # Workers on this machine must find what this process found; on others, PYSPARK_PYTHON names their interpreter.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.master(master).appName("protorel harvest")
    for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(name, "false")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    # Spark's 200 partitions suit no cluster in particular, and a small one least.
    session.conf.set("spark.sql.shuffle.partitions", str(3 * session.sparkContext.defaultParallelism))
    return session
