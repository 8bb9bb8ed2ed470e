"""Shards in several processes: all are done, and one that dies takes no other with it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from protorel.harvest.engines.duckdb_engine import do_in_processes
from protorel.harvest.engines.shards import ShardTask, WorkPlaces
from protorel.harvest.mentions.finder import MentionRule
from protorel.harvest.types import Tally


@pytest.fixture(autouse=True)
def _found_by_processes(monkeypatch):
    """A new process imports this file by its name to find the functions below, and takes over our search path."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2])


def write_empty(task):
    task.shard.write([], {}, Tally(), [])
    return task.number


def die_on_three(task):
    if task.number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return write_empty(task)


def die_once(task):
    """Die at the first try of shard 1 only, as of a shortage of memory that passes."""
    mark = task.places.shards.parent / "tried"
    if task.number == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return write_empty(task)


def fail(task):
    raise ValueError(f"shard {task.number}")


def work_by(monkeypatch, function):
    monkeypatch.setattr("protorel.harvest.engines.duckdb_engine.do_shard", function)


def tasks(tmp_path, count=6):
    places = WorkPlaces(tmp_path / "gazetteer", tmp_path / "shards")
    (tmp_path / "shards").mkdir()
    return [ShardTask(number, (), places, MentionRule()) for number in range(count)]


def test_a_shard_that_kills_its_process_is_left_and_all_others_are_done(tmp_path, monkeypatch):
    work_by(monkeypatch, die_on_three)
    shards = list(do_in_processes(tasks(tmp_path), workers=2))
    assert sorted(shard.number for shard in shards) == list(range(6))
    assert [shard.number for shard in shards if not shard.is_done] == [3]


def test_a_process_that_dies_once_costs_nothing_but_a_second_try(tmp_path, monkeypatch):
    work_by(monkeypatch, die_once)
    shards = list(do_in_processes(tasks(tmp_path), workers=2))
    assert sorted(shard.number for shard in shards) == list(range(6))
    assert all(shard.is_done for shard in shards)


def test_an_error_in_a_process_reaches_the_caller(tmp_path, monkeypatch):
    work_by(monkeypatch, fail)
    with pytest.raises(ValueError, match="shard"):
        list(do_in_processes(tasks(tmp_path), workers=2))


def test_documents_are_drawn_no_faster_than_they_are_worked_on(tmp_path, monkeypatch):
    work_by(monkeypatch, write_empty)
    drawn = []

    def watched():
        for task in tasks(tmp_path, count=12):
            drawn.append(task.number)
            yield task

    for done, _ in enumerate(do_in_processes(watched(), workers=1), start=1):
        assert len(drawn) == done
