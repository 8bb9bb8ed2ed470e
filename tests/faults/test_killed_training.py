"""A run that is killed or interrupted goes on as if nothing had happened."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest
import torch

from protorel.model import RelationModel
from protorel.statements import BadInput, Interrupted
from protorel.training import load_recipe, pretrain, read_journal
from protorel.training.folder import LOCK

FILES_IN_A_CHECKPOINT = 4
HALF_GONE = ".state.part"


def states_in(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "state").glob("step-*"))


@pytest.mark.parametrize("step", [1, 6, 11])
def test_a_run_killed_at_any_step_and_resumed_ends_like_one_never_stopped(
    kind, step, start, settings_of, never_stopped, outcome, data, tmp_path
):
    process = start(settings_of[kind], held_step=step)
    process.wait_for(f"step {step}\n")
    process.strike(signal.SIGKILL)
    assert process.exit_code() == -signal.SIGKILL
    assert not (tmp_path / "run" / "protorel.json").exists()
    with pytest.raises(BadInput, match="--resume"):
        RelationModel.from_pretrained(tmp_path / "run")

    pretrain(data, tmp_path / "run", load_recipe("col_final", settings_of[kind]), resume=True, keep_state=True)

    resumed = outcome(tmp_path / "run")
    assert resumed.steps == list(range(1, 13))
    resumed.assert_equals(never_stopped(kind))


def test_a_run_killed_while_it_writes_a_checkpoint_goes_on_from_the_one_before(
    start, settings_of, never_stopped, outcome, data, tmp_path
):
    # The checkpoints are those of steps 0, 3, 6: two files of the third are written.
    process = start(settings_of["cnn"], deadly_file=2 * FILES_IN_A_CHECKPOINT + 2)
    process.wait_for("step 6\n")
    assert process.exit_code() == -signal.SIGKILL
    state = tmp_path / "run" / "state"
    half = [path for path in state.iterdir() if path.name.endswith(".part")]
    assert [len(list((path / "step-0000006").iterdir())) for path in half] == [2]
    assert states_in(tmp_path / "run") == ["step-0000003"]

    pretrain(data, tmp_path / "run", load_recipe("col_final", settings_of["cnn"]), resume=True, keep_state=True)

    assert [path.name for path in state.iterdir()] == ["step-0000012"]
    outcome(tmp_path / "run").assert_equals(never_stopped("cnn"))


def test_ctrl_c_from_outside_saves_at_the_end_of_the_step_and_says_which(
    start, settings_of, never_stopped, outcome, data, tmp_path
):
    process = start(settings_of["transformer"], held_step=4)
    process.wait_for("step 4\n")
    process.strike(signal.SIGINT)
    process.say()
    said = process.wait_for("stopped")
    assert process.exit_code() == 1
    done = [line["step"] for line in read_journal(tmp_path / "run")][-1]
    assert 4 <= done < 12
    assert said == f"stopped after step {done} of 12; everything up to there is saved"
    assert states_in(tmp_path / "run") == [f"step-{done:07d}"]

    pretrain(data, tmp_path / "run", load_recipe("col_final", settings_of["transformer"]), resume=True, keep_state=True)

    outcome(tmp_path / "run").assert_equals(never_stopped("transformer"))


@pytest.fixture
def python_handles_ctrl_c():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("python_handles_ctrl_c")
def test_a_run_interrupted_again_and_again_ends_like_one_never_stopped(
    any_kind, settings_of, never_stopped, outcome, data, tmp_path
):
    recipe = load_recipe("col_final", settings_of[any_kind])

    def press_at(wanted: int):
        def press(step: int, steps: int, *, loss: float, statements: int) -> None:
            if step == wanted:
                signal.raise_signal(signal.SIGINT)

        return press

    for resume, step in ((False, 2), (True, 7), (True, 12)):
        with pytest.raises(Interrupted, match=f"after step {step} of 12"):
            pretrain(data, tmp_path / "run", recipe, resume=resume, watch=press_at(step))
        assert states_in(tmp_path / "run") == [f"step-{step:07d}"]
    pretrain(data, tmp_path / "run", recipe, resume=True, keep_state=True)
    outcome(tmp_path / "run").assert_equals(never_stopped(any_kind))


@pytest.mark.usefixtures("python_handles_ctrl_c")
def test_a_second_ctrl_c_stops_at_once_and_leaves_the_last_checkpoint(data, recipe, tmp_path):
    def press_twice(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == 5:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        pretrain(data, tmp_path / "run", recipe("steps=9", "checkpoint_every=2"), watch=press_twice)
    assert states_in(tmp_path / "run") == ["step-0000004"]


def test_a_run_outside_the_main_thread_trains_without_touching_signals(data, recipe, tmp_path):
    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=pretrain, args=(data, tmp_path / "run", recipe("steps=1")))
    thread.start()
    thread.join()
    assert (tmp_path / "run" / "protorel.json").is_file()
    assert signal.getsignal(signal.SIGINT) is before


def test_resuming_a_finished_run_says_so_and_changes_nothing(
    never_stopped, outcome, settings_of, data, tmp_path, caplog, monkeypatch
):
    recipe, run = load_recipe("col_final", settings_of["cnn"]), tmp_path / "run"
    first = pretrain(data, run, recipe, keep_state=True)
    monkeypatch.setattr("protorel.training.pretraining.Pretraining", lambda *_: pytest.fail("trained again"))
    caplog.set_level("INFO", "protorel")
    again = pretrain(data, run, recipe, resume=True)
    assert caplog.messages == [f"{run}: finished already (12 steps); nothing to do"]
    assert (again.fingerprint, again.name) == (first.fingerprint, first.name)
    outcome(run).assert_equals(never_stopped("cnn"))


@pytest.mark.parametrize("removed", [0, 1, 3])
def test_a_run_killed_after_its_record_has_finished_whatever_is_left_of_its_checkpoint(
    removed, start, settings_of, never_stopped, data, tmp_path, caplog
):
    """The record is written, then the checkpoint is removed file by file: killed between, nothing is trained again."""
    process = start(settings_of["cnn"], deadly_removal=removed)
    assert process.exit_code() == -signal.SIGKILL
    run, recipe = tmp_path / "run", load_recipe("col_final", settings_of["cnn"])
    left = [path for path in run.rglob("*") if path.is_file() and path.relative_to(run).parts[0].endswith(HALF_GONE)]
    assert len(left) == (0 if removed == 0 else FILES_IN_A_CHECKPOINT + 1 - removed)
    assert states_in(run) == (["step-0000012"] if removed == 0 else [])
    with pytest.raises(BadInput, match="exists already"):
        pretrain(data, run, recipe)

    caplog.set_level("INFO", "protorel")
    model = pretrain(data, run, recipe, resume=True)

    assert caplog.messages == [f"{run}: finished already (12 steps); nothing to do"]
    expected = never_stopped("cnn").tensors["run/prototypes.safetensors/prototypes"]
    assert torch.equal(model.prototypes.vectors, expected)
    assert not (run / HALF_GONE).exists()
    assert not (run / LOCK).exists()


def test_a_run_killed_before_its_first_checkpoint_can_be_resumed(recipe, data, tmp_path):
    (tmp_path / "run" / "state" / ".step-0000000.1.part").mkdir(parents=True)
    pretrain(data, tmp_path / "run", recipe("steps=2"), resume=True, keep_state=True)
    assert states_in(tmp_path / "run") == ["step-0000002"]


def test_a_journal_line_that_a_kill_cut_short_is_written_anew(
    never_stopped, outcome, settings_of, data, tmp_path, monkeypatch
):
    recipe = load_recipe("col_final", settings_of["cnn"])

    def fail(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == 5:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        pretrain(data, tmp_path / "run", recipe, watch=fail)
    journal = tmp_path / "run" / "journal.jsonl"
    journal.write_text(journal.read_text()[:-20])
    assert [line["step"] for line in read_journal(tmp_path / "run")] == [1, 2, 3, 4]
    pretrain(data, tmp_path / "run", recipe, resume=True, keep_state=True)
    outcome(tmp_path / "run").assert_equals(never_stopped("cnn"))


def test_a_run_whose_learning_record_lies_in_parts_goes_on_with_the_same_parts(
    outcome, settings_of, data, tmp_path, monkeypatch
):
    monkeypatch.setattr("protorel.training.steps.training_dynamics._AT_ONCE", 16)
    recipe = load_recipe("col_final", settings_of["cnn"])
    pretrain(data, tmp_path / "whole", recipe, keep_state=True)

    def fail(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == 8:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        pretrain(data, tmp_path / "run", recipe, watch=fail)
    assert len(list((tmp_path / "run" / "state" / "learning").iterdir())) == 4
    pretrain(data, tmp_path / "run", recipe, resume=True, keep_state=True)
    outcome(tmp_path / "run").assert_equals(outcome(tmp_path / "whole"))
    whole, run = ((tmp_path / name / "training_dynamics.parquet").read_bytes() for name in ("whole", "run"))
    assert whole == run
