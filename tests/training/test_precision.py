"""What `auto` becomes, what is refused, and what a run records of it."""

from __future__ import annotations

import logging

import pytest

from protorel.encoders.bf16 import Bf16
from protorel.model import read_record
from protorel.statements import BadInput
from protorel.training import precision as module
from protorel.training import pretrain
from protorel.training.checkpoint import load_checkpoint
from protorel.training.precision import choose_precision, settle_precision

FAST, SLOW, TRAPS = Bf16(1.7), Bf16(0.4), Bf16(problem="illegal instruction")


@pytest.fixture
def processor(monkeypatch):
    """Gives this machine another processor, as far as bf16 goes."""
    monkeypatch.delenv("PROTOREL_PRECISION", raising=False)

    def become(found: Bf16) -> None:
        module._say_once.cache_clear()
        monkeypatch.setattr(module, "bf16_here", lambda: found)

    yield become
    module._say_once.cache_clear()


@pytest.mark.parametrize(
    ("found", "asked", "used"),
    [(FAST, "auto", "bf16"), (SLOW, "auto", "fp32"), (TRAPS, "auto", "fp32"),
     (FAST, "fp32", "fp32"), (FAST, "bf16", "bf16"), (SLOW, "bf16", "bf16")],
)  # fmt: skip
def test_auto_is_bf16_where_it_works_and_pays_and_a_name_is_obeyed(processor, found, asked, used):
    processor(found)
    choice = choose_precision(asked, rounds=True)
    assert (choice.asked, choice.used) == (asked, used)


def test_bf16_by_name_on_a_processor_that_traps_is_refused(processor):
    processor(TRAPS)
    with pytest.raises(BadInput, match=r"^precision=bf16: bf16 is not usable here: illegal instruction\. Set it"):
        choose_precision("bf16", rounds=True)


def test_nothing_is_probed_where_there_is_nothing_to_round(processor, monkeypatch):
    processor(FAST)
    monkeypatch.setattr(module, "bf16_here", lambda: pytest.fail("probed"))
    assert choose_precision("auto", rounds=False).used == "fp32"
    assert choose_precision("fp32", rounds=True).used == "fp32"
    with pytest.raises(BadInput, match="got a word encoder"):
        choose_precision("bf16", rounds=False)


@pytest.mark.parametrize("value", ["fp32", "bf16"])
def test_the_environment_may_say_what_auto_is(processor, monkeypatch, value):
    processor(FAST if value == "bf16" else TRAPS)
    monkeypatch.setenv("PROTOREL_PRECISION", value)
    choice = choose_precision("auto", rounds=True)
    assert (choice.used, choice.reason) == (value, "set by PROTOREL_PRECISION")
    assert choose_precision("auto", rounds=False).used == "fp32"
    assert choose_precision("fp32", rounds=True).used == "fp32"


def test_the_environment_is_no_way_around_a_trap(processor, monkeypatch):
    processor(TRAPS)
    monkeypatch.setenv("PROTOREL_PRECISION", "bf16")
    with pytest.raises(BadInput, match=r"^PROTOREL_PRECISION=bf16: bf16 is not usable here"):
        choose_precision("auto", rounds=True)


@pytest.mark.parametrize("value", ["fp16", "BF16", " "])
def test_garbage_in_the_environment_is_refused(processor, monkeypatch, value):
    processor(FAST)
    monkeypatch.setenv("PROTOREL_PRECISION", value)
    with pytest.raises(BadInput, match="PROTOREL_PRECISION: expected auto, fp32 or bf16, got"):
        choose_precision("auto", rounds=True)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (FAST, "bf16: 1.7 times as fast as fp32 on this processor"),
        (SLOW, "bf16: 0.4 times as fast as fp32 on this processor; using fp32"),
        (TRAPS, "bf16 is not usable here: illegal instruction; using fp32"),
    ],
)
def test_the_verdict_is_said_once(processor, caplog, found, sentence):
    processor(found)
    with caplog.at_level(logging.INFO, "protorel"):
        choose_precision("auto", rounds=True)
        choose_precision("auto", rounds=True)
    assert [record.getMessage() for record in caplog.records if record.name == "protorel"] == [sentence]


def test_a_run_records_what_was_asked_what_was_used_and_why(processor, recipe, data, tmp_path):
    processor(SLOW)
    pretrain(data, tmp_path / "run", recipe("steps=1", "precision=auto"))
    record = read_record(tmp_path / "run")
    assert record["precision"] == {
        "asked": "auto", "used": "fp32", "reason": "bf16: 0.4 times as fast as fp32 on this processor",
    }  # fmt: skip
    assert record["recipe"]["precision"] == "fp32"


@pytest.fixture
def stopped(recipe, data, tmp_path):
    """A run that was stopped after its first step, in a precision."""

    def stop(used: str):
        folder = tmp_path / "run"

        def watch(step, _steps, **_):
            if step == 1:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            pretrain(data, folder, recipe("steps=2", "checkpoint_every=1", f"precision={used}"), watch=watch)
        return folder

    return stop


def test_a_run_goes_on_in_the_precision_that_it_was_started_with(processor, stopped, recipe, data):
    processor(SLOW)
    folder = stopped("fp32")
    processor(FAST)
    pretrain(data, folder, recipe("steps=2", "checkpoint_every=1", "precision=auto"), resume=True)
    assert read_record(folder)["precision"]["used"] == "fp32"


def test_a_run_in_bf16_is_not_resumed_where_bf16_traps(bf16_works, processor, stopped, recipe, data):
    processor(SLOW)
    folder = stopped("bf16")
    assert load_checkpoint(folder / "state").settings["recipe"]["precision"] == "bf16"
    processor(TRAPS)
    with pytest.raises(BadInput, match="this run was started in bf16: bf16 is not usable here: illegal instruction"):
        pretrain(data, folder, recipe("steps=2", "checkpoint_every=1", "precision=auto"), resume=True)
    processor(FAST)
    settled, choice = settle_precision(recipe("precision=auto"), recipe().encoder, folder)
    assert settled.precision == choice.used == "bf16"


def test_a_run_is_not_resumed_in_another_precision_by_name(processor, stopped, recipe, data):
    processor(FAST)
    folder = stopped("fp32")
    with pytest.raises(BadInput, match="started with precision='fp32', got 'bf16'"):
        pretrain(data, folder, recipe("steps=2", "checkpoint_every=1", "precision=bf16"), resume=True)


def test_an_unknown_precision_is_refused_by_its_name(recipe):
    with pytest.raises(BadInput, match="precision = 'fp16'"):
        recipe("precision=fp16")
