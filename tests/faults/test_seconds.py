"""The seconds of a run that was killed are those of one that never was."""

from __future__ import annotations

import json
import time

import pytest

from protorel.model import read_record
from protorel.training import finetune, load_finetune_recipe, load_recipe, pretrain
from protorel.training.checkpoint import load_checkpoint
from protorel.training.run import Clock

TUNING = ["epochs=1", "batch_size=56", "checkpoint_every=2", "max_length=48", "cnn.most_frequent_words=200"]


class Time:
    """A time that passes only when a test says so; it begins somewhere else in every process."""

    def __init__(self, monkeypatch):
        self.now = 5000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def ten_seconds_a_step(self, *, until: int):
        def watch(step: int, steps: int, *, loss: float, statements: int) -> None:
            self.now += 10
            if step == until:
                raise RuntimeError("killed")

        return watch


@pytest.fixture
def passing(monkeypatch):
    return Time(monkeypatch)


def test_a_clock_goes_on_from_what_was_done_before(passing):
    found = Clock()
    passing.now += 2.25
    assert found.seconds == 2.2
    found.go_on_from(100.0)
    assert found.seconds == pytest.approx(102.2, abs=0.06)


def test_a_run_killed_twice_counts_every_step_once(settings_of, data, tmp_path, passing):
    recipe = load_recipe("col_final", settings_of["cnn"])
    # Checkpoints follow steps 3, 6, 9 and 12; the time of a step passes after it and before its checkpoint.
    for until, resume, counted in ((5, False, 30.0), (8, True, 60.0)):
        with pytest.raises(RuntimeError, match="killed"):
            pretrain(data, tmp_path / "run", recipe, resume=resume, watch=passing.ten_seconds_a_step(until=until))
        assert load_checkpoint(tmp_path / "run" / "state").seconds == counted
        passing.now = 100.0
    pretrain(data, tmp_path / "run", recipe, resume=True, watch=passing.ten_seconds_a_step(until=0))
    assert read_record(tmp_path / "run")["seconds"] == 120.0


@pytest.mark.parametrize("base", ["supervised", "fewrel"])
def test_a_tuning_that_was_killed_counts_every_step_once(data, tmp_path, passing, base):
    wanted = TUNING if base == "supervised" else ["steps=4", "episodes=[[4,1]]", *TUNING[2:]]
    recipe = load_finetune_recipe(base, wanted)
    with pytest.raises(RuntimeError, match="killed"):
        finetune("cnn", data, tmp_path / "run", recipe, watch=passing.ten_seconds_a_step(until=3))
    finetune("cnn", data, tmp_path / "run", recipe, resume=True, watch=passing.ten_seconds_a_step(until=0))
    steps = read_record(tmp_path / "run")["results"]["steps"]
    assert steps > 3
    assert read_record(tmp_path / "run")["seconds"] == 10.0 * steps


def test_what_comes_before_the_first_step_counts_too(data, tmp_path, passing, monkeypatch):
    from protorel.training import pretraining
    from protorel.training.tuning import finetuning

    for module in (pretraining, finetuning):

        def slow(source, recipe, wanted=module.select_labelled):
            passing.now += 1000
            return wanted(source, recipe)

        monkeypatch.setattr(module, "select_labelled", slow)
    small = ["encoder=cnn", "cnn.most_frequent_words=200", "relations_per_batch=4", "steps=1"]
    pretrain(data, tmp_path / "a", load_recipe("col_final", small))
    finetune("cnn", data, tmp_path / "b", load_finetune_recipe("supervised", TUNING))
    assert [read_record(tmp_path / name)["seconds"] for name in ("a", "b")] == [1000.0, 1000.0]


def test_a_checkpoint_of_an_older_version_that_tells_no_time_can_be_gone_on_with(data, tmp_path, passing, settings_of):
    recipe = load_recipe("col_final", settings_of["cnn"])
    with pytest.raises(RuntimeError, match="killed"):
        pretrain(data, tmp_path / "run", recipe, watch=passing.ten_seconds_a_step(until=4))
    (place,) = (tmp_path / "run" / "state").glob("step-*/checkpoint.json")
    record = json.loads(place.read_text())
    assert record.pop("seconds") == 30.0
    place.write_text(json.dumps(record))
    pretrain(data, tmp_path / "run", recipe, resume=True, watch=passing.ten_seconds_a_step(until=0))
    assert read_record(tmp_path / "run")["seconds"] == 90.0
