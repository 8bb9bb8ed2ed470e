"""Two processes never train in one run folder, and a process that is dead keeps nobody out of it."""

from __future__ import annotations

import os
import signal

import pytest

from protorel.cli import run
from protorel.io.file_lock import claimed
from protorel.statements import BadInput
from protorel.training import finetune, load_recipe, pretrain
from protorel.training.folder import LOCK, run_folder


@pytest.mark.parametrize("resume", [False, True])
def test_a_second_process_is_told_who_trains_and_changes_nothing(start, settings_of, data, tmp_path, resume, capsys):
    process = start(settings_of["cnn"], held_step=4)  # it holds its claim for as long as the other one needs
    process.wait_for("step 4\n")
    more = ["--resume"] if resume else []
    arguments = ["pretrain", "col_final", *settings_of["cnn"], "--data", data, "--out", tmp_path / "run", *more]
    assert run([str(argument) for argument in arguments]) == 2
    process.strike(signal.SIGKILL)
    process.exit_code()
    said = capsys.readouterr().err.strip()
    assert said == (
        f"protorel: {tmp_path / 'run'}: process {process.id} is training here. "
        "Wait until it ends, or choose another --out"
    )


def test_the_claim_of_a_killed_process_does_not_stop_a_resume(
    start, settings_of, never_stopped, outcome, data, tmp_path
):
    process = start(settings_of["cnn"], held_step=4)
    process.wait_for("step 4\n")
    process.strike(signal.SIGKILL)
    process.exit_code()
    assert (tmp_path / "run" / LOCK).read_text() == f"{process.id}\n"
    recipe = load_recipe("col_final", settings_of["cnn"])
    with pytest.raises(BadInput, match="run: exists already"):
        pretrain(data, tmp_path / "run", recipe)
    pretrain(data, tmp_path / "run", recipe, resume=True, keep_state=True)
    assert not (tmp_path / "run" / LOCK).exists()
    outcome(tmp_path / "run").assert_equals(never_stopped("cnn"))


def test_a_killed_process_that_had_not_begun_leaves_a_folder_for_a_new_run(tmp_path):
    (tmp_path / "run" / "state").mkdir(parents=True)
    (tmp_path / "run" / LOCK).write_text("1\n")
    with run_folder(tmp_path / "run", resume=False) as folder:
        assert (folder / LOCK).read_text() == f"{os.getpid()}\n"


def test_tuning_claims_its_folder_too(data, tuning, tmp_path):
    (tmp_path / "run").mkdir()
    with claimed(tmp_path / "run" / LOCK), pytest.raises(BadInput, match=f"process {os.getpid()} is training here"):
        finetune("cnn", data, tmp_path / "run", tuning("epochs=1"))


def test_a_run_that_another_process_made_meanwhile_is_not_written_over(tmp_path, monkeypatch):
    """The other one ends after the first look at the folder, just before the claim is given."""

    def claim_late(path):
        (path.parent / "protorel.json").write_text("{}")
        return claimed(path)

    monkeypatch.setattr("protorel.training.folder.claimed", claim_late)
    with pytest.raises(BadInput, match="run: exists already"), run_folder(tmp_path / "run", resume=False):
        pytest.fail("the folder was given")


def test_no_claim_is_left_in_a_folder_that_holds_anything_else(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(BadInput, match="exists already"), run_folder(tmp_path, resume=False):
        pytest.fail("the folder was given")
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]
