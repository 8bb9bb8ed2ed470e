"""A clock that jumps back, or stands still: no time is negative, nothing is divided by it, and work goes on."""

from __future__ import annotations

import io
import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from protorel.cli.progress import CountProgress, DemoProgress, HarvestProgress, TrainingProgress
from protorel.demo.phases import Phases
from protorel.io.stopwatch import NowAndThen, Stopwatch
from protorel.model import read_record
from protorel.training import load_recipe, pretrain, read_journal
from protorel.training.run import Clock

TIMES = st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=20)


class Jumping:
    """A clock that goes on by a second, jumps back by an hour at every third look, and stands still at every fifth."""

    def __init__(self) -> None:
        self.now, self.looks = 5000.0, 0

    def __call__(self) -> float:
        self.looks += 1
        if self.looks % 5:
            self.now += -3600.0 if self.looks % 3 == 0 else 1.0
        return self.now


@pytest.fixture
def jumping(monkeypatch) -> Jumping:
    clock = Jumping()
    for name in ("monotonic", "perf_counter", "time"):
        monkeypatch.setattr(time, name, clock)
    return clock


@given(TIMES)
def test_the_seconds_never_go_down_and_are_all_that_passed_forwards(times):
    looks = iter(times)
    watch = Stopwatch(lambda: next(looks))
    found = [watch.seconds for _ in times[1:]]
    assert found == sorted(found)
    assert found[0] >= 0
    forwards = sum(max(0.0, later - earlier) for earlier, later in pairwise(times))
    assert found[-1] == pytest.approx(forwards)


@given(TIMES, st.integers(0, 5), st.integers(0, 5))
def test_a_rate_and_the_time_left_are_never_negative(times, done, of):
    looks = iter([*times, *times])
    watch = Stopwatch(lambda: next(looks))
    assert watch.rate(done) >= 0
    if len(times) > 2:
        assert watch.left(done, of) >= 0


def test_where_no_time_passes_there_is_no_rate():
    watch = Stopwatch(lambda: 7.0)
    assert (watch.seconds, watch.rate(5), watch.left(1, 5), watch.left(0, 5)) == (0, 0, 0, 0)


def test_a_jump_back_does_not_silence_for_as_long_as_it_was_wide():
    times = iter([100.0, 100.0, 105.0, 1.0, 4.0, 7.0, 8.0])
    speaking = NowAndThen(Stopwatch(lambda: next(times)), 10.0)
    assert [speaking.due() for _ in range(5)] == [False, False, False, True, False]


def test_a_run_counts_no_second_less_after_a_jump():
    times = iter([100.0, 130.0, 20.0, 25.0])
    clock = Clock(lambda: next(times))
    clock.go_on_from(60.0)
    assert [clock.seconds for _ in range(3)] == [90.0, 90.0, 95.0]


def test_a_training_ends_as_it_should(settings_of, data, tmp_path, jumping):
    pretrain(data, tmp_path / "run", load_recipe("col_final", [*settings_of["cnn"], "steps=4"]))
    assert read_record(tmp_path / "run")["seconds"] >= 0
    speeds = [line["statements_per_second"] for line in read_journal(tmp_path / "run")]
    assert len(speeds) == 4
    assert all(0 <= speed < float("inf") for speed in speeds)


@pytest.mark.parametrize("terminal", [False, True])
def test_no_progress_shows_a_time_below_nothing(jumping, terminal):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
    with TrainingProgress(console, every_seconds=0) as training:
        for step in range(1, 9):
            training(step, 8, loss=1.0, statements=32)
    with CountProgress(console, "episode", every_seconds=0) as episodes:
        for done in range(1, 9):
            episodes(done, 8)
    with DemoProgress(console, every_seconds=0) as demo:
        demo.begin("train")
        for done in range(1, 9):
            demo.count(done, 8)
            demo(done, 8, loss=1.0, statements=32)
        demo.end()
    with HarvestProgress(console, every_seconds=0) as harvest:
        for shards in range(9):
            harvest("align", shards)
    said = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", console.file.getvalue())
    assert "8/8" in said
    assert not re.search(r"-\d", said), said


def test_the_phases_of_the_demo_take_no_negative_time(jumping):
    phases = Phases()
    for name in ("harvest", "train", "harvest"):
        with phases(name):
            jumping()
    assert all(seconds >= 0 for seconds in phases.seconds.values())
    assert phases.total >= 0
    assert "-" not in phases.in_words()
