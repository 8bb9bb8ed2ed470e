"""A real cluster: a master and two workers, each a process of its own, give the rows that one machine gives."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from protorel.corpora.small_world import SmallWorldSettings, build_small_world, write_raw
from protorel.harvest.engines.duckdb_engine import DuckDBEngine
from protorel.harvest.run import harvest_statements
from protorel.harvest.settings import HarvestSettings, HarvestSources
from protorel.statements import read_statements

PATIENCE = 300


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def started(name, *options, log, says):
    """Run a class of Spark until the block ends, and wait until its log says that it is ready."""
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *map(str, options)]
    with log.open("w") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT, env=environment)
    try:
        deadline = time.monotonic() + PATIENCE
        while says not in log.read_text():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)
        yield
    finally:
        # By its process id: another cluster on this machine is none of ours.
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture
def master(spark_is_there, tmp_path):
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    at = ("--host", "127.0.0.1", "--webui-port", 0)
    work = ("--cores", 1, "--memory", "1G", "--work-dir", tmp_path / "spark_work", url)
    ready = "Successfully registered with master"
    with (
        started("master.Master", *at, "--port", port, log=tmp_path / "master.log", says="I have been elected leader"),
        started("worker.Worker", *at, *work, log=tmp_path / "one.log", says=ready),
        started("worker.Worker", *at, *work, log=tmp_path / "other.log", says=ready),
    ):
        yield url


def test_two_workers_of_a_cluster_give_the_rows_of_one_machine(master, tmp_path):
    world = build_small_world(SmallWorldSettings(statements_per_relation=8, held_out_per_relation=2))
    raw = tmp_path / "raw"
    write_raw(world, raw)
    sources = HarvestSources((raw / "facts.tsv",), (raw / "documents.jsonl",), (raw / "aliases.tsv",))
    settings = HarvestSettings(documents_per_shard=10)
    harvest_statements(sources, tmp_path / "one", engine=DuckDBEngine(), settings=settings)
    given = ["--facts", raw / "facts.tsv", "--aliases", raw / "aliases.tsv", "--text", raw / "documents.jsonl"]
    options = ["--out", tmp_path / "many", "--shard", 10, "--engine", "spark", "--master", master]
    command = [sys.executable, "-m", "protorel", "harvest", *map(str, [*given, *options])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    one, many = (read_statements(tmp_path / place / "statements") for place in ("one", "many"))
    assert len(one) == len(many) == len(world.train)
    assert set(one) == set(many)
    # Both workers ran an executor.
    assert all("Launching command" in (tmp_path / log).read_text() or "Executor" in (tmp_path / log).read_text()
               for log in ("one.log", "other.log"))  # fmt: skip
