"""A checkpoint is whole or it is not there; what is damaged is named; what is not finite never becomes one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from protorel.objectives import WeightedSum
from protorel.objectives.weighted_sum import Loss
from protorel.statements import BadInput, WorkFailed
from protorel.training import checkpoint as checkpoint_file
from protorel.training import load_recipe, pretrain, read_journal
from protorel.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint

TENSORS = {"encoder": {"weight": torch.arange(6.0).reshape(2, 3)}, "optimiser": {"0.step": torch.tensor(4.0)}}


def checkpoint(step: int) -> Checkpoint:
    return Checkpoint(step, TENSORS, {"recipe": {"steps": 9}, "data": "abc"})


def test_a_checkpoint_is_read_back_as_it_was_written(tmp_path):
    save_checkpoint(checkpoint(4), tmp_path)
    found = load_checkpoint(tmp_path)
    assert (found.step, found.settings) == (4, {"recipe": {"steps": 9}, "data": "abc"})
    assert found.tensors.keys() == TENSORS.keys()
    for part, tensors in TENSORS.items():
        assert found.tensors[part].keys() == tensors.keys()
        assert all(torch.equal(found.tensors[part][name], tensor) for name, tensor in tensors.items())


def test_a_view_of_a_tensor_is_kept_by_its_values(tmp_path):
    across = torch.arange(6.0).reshape(2, 3).T
    save_checkpoint(Checkpoint(1, {"encoder": {"weight": across}}, {}), tmp_path)
    assert torch.equal(load_checkpoint(tmp_path).tensors["encoder"]["weight"], across)


def test_the_newest_checkpoint_stays_and_older_ones_and_halves_are_removed(tmp_path):
    (tmp_path / ".step-0000002.77.part").mkdir()
    for step in (3, 20, 100):
        save_checkpoint(checkpoint(step), tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == [f"step-{step:07d}"]
    assert load_checkpoint(tmp_path).step == 100


def test_where_there_is_no_checkpoint_none_is_found(tmp_path):
    (tmp_path / ".step-0000002.77.part").mkdir()
    (tmp_path / "step-notes").mkdir()
    assert load_checkpoint(tmp_path) is None
    assert load_checkpoint(tmp_path / "absent") is None


def test_half_a_checkpoint_beside_a_whole_one_is_passed_over(tmp_path):
    save_checkpoint(checkpoint(3), tmp_path)
    shutil.copytree(tmp_path / "step-0000003", tmp_path / ".step-0000006.1.part")
    assert load_checkpoint(tmp_path).step == 3


@pytest.mark.parametrize("files_before", [0, 1])
def test_a_disk_that_fails_in_the_middle_of_a_checkpoint_leaves_the_one_before(tmp_path, monkeypatch, files_before):
    save_checkpoint(checkpoint(3), tmp_path)
    save_file, written = checkpoint_file.save_file, []

    def fail(tensors, path):
        if len(written) == files_before:
            Path(path).write_bytes(b"half a file")
            raise OSError(28, "No space left on device")
        written.append(path)
        save_file(tensors, path)

    monkeypatch.setattr(checkpoint_file, "save_file", fail)
    with pytest.raises(
        WorkFailed, match=r"step-0000006: cannot write here .*No space left.*the previous checkpoint is kept"
    ):
        save_checkpoint(checkpoint(6), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["step-0000003"]
    assert load_checkpoint(tmp_path).step == 3


@pytest.mark.parametrize("name", ["encoder.safetensors", "optimiser.safetensors"])
@pytest.mark.parametrize("damage", ["missing", "cut short", "one bit"])
def test_a_damaged_file_of_a_checkpoint_is_named(tmp_path, name, damage):
    path = save_checkpoint(checkpoint(3), tmp_path) / name
    whole = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(whole[:-1] if damage == "cut short" else whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(BadInput, match=damage if damage == "missing" else "damaged") as found:
        load_checkpoint(tmp_path)
    assert str(path) in str(found.value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("text", ["", '{"step": 3', "[]", "{}", '{"step": 3, "settings": {}}', "\xff"])
def test_a_damaged_record_of_a_checkpoint_is_named(tmp_path, text):
    path = save_checkpoint(checkpoint(3), tmp_path) / "checkpoint.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(BadInput) as found:
        load_checkpoint(tmp_path)
    assert str(path) in str(found.value)


def test_a_file_that_is_no_safetensors_is_refused_even_where_its_hash_is_right(tmp_path):
    folder = save_checkpoint(checkpoint(3), tmp_path)
    (folder / "encoder.safetensors").write_bytes(b"\x80\x04N.")
    record = json.loads((folder / "checkpoint.json").read_text())
    record["files"]["encoder.safetensors"] = checkpoint_file.sha256(folder / "encoder.safetensors")
    (folder / "checkpoint.json").write_text(json.dumps(record))
    with pytest.raises(BadInput, match=r"encoder\.safetensors: expected a safetensors file"):
        load_checkpoint(tmp_path)


def test_a_checkpoint_of_another_shape_is_refused(data, recipe, tmp_path):
    stopped(data, tmp_path / "run", recipe("steps=4"), after=1)
    state = tmp_path / "run" / "state"
    found = load_checkpoint(state)
    tensors = {**found.tensors, "objective": {"prototypes": torch.zeros(2, 2)}}
    save_checkpoint(Checkpoint(found.step, tensors, found.settings), state)
    with pytest.raises(BadInput, match="does not fit the run"):
        pretrain(data, tmp_path / "run", recipe("steps=4"), resume=True)


def test_a_run_leaves_no_file_that_a_pickle_could_hide_in(data, recipe, tmp_path, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        pytest.fail("torch.save and torch.load are not for us")

    monkeypatch.setattr(torch, "save", refuse)
    monkeypatch.setattr(torch, "load", refuse)
    stopped(data, tmp_path / "run", recipe("steps=4", "checkpoint_every=2"), after=3)
    pretrain(data, tmp_path / "run", recipe("steps=4", "checkpoint_every=2"), resume=True, keep_state=True)
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".safetensors", ".json", ".jsonl", ".parquet"}
    assert all(path.read_bytes()[:1] != b"\x80" for path in files)
    assert not [path for path in (tmp_path / "run").rglob("*") if path.name.startswith(".")]


class Stop(Exception):
    pass


def stopped(data: Path, out: Path, recipe, *, after: int) -> None:
    def stop(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == after:
            raise Stop

    with pytest.raises(Stop):
        pretrain(data, out, recipe, watch=stop)


def test_a_loss_that_is_not_finite_stops_the_run_and_names_the_batch(
    settings_of, never_stopped, outcome, data, tmp_path, monkeypatch
):
    recipe = load_recipe("col_final", settings_of["cnn"])
    forward, calls = WeightedSum.forward, []

    def spoilt(self, *arguments, **named):
        loss = forward(self, *arguments, **named)
        calls.append(1)
        return loss if len(calls) != 8 else Loss(loss.total * torch.nan, loss.terms)

    with monkeypatch.context() as patch:
        patch.setattr(WeightedSum, "forward", spoilt)
        with pytest.raises(WorkFailed, match="step 8: the loss is nan") as found:
            pretrain(data, tmp_path / "run", recipe)
    learning = never_stopped("cnn").learning.to_pylist()
    batch = [row["id"] for row in learning if row["step"] == 8]
    assert str(found.value).endswith(f"Statements of the batch: {', '.join(batch)}")
    assert "\n" not in str(found.value)
    assert all(term in str(found.value) for term in ("s2s ", "s2z ", "s2z_prime ", "cls "))
    assert load_checkpoint(tmp_path / "run" / "state").step == 6
    assert [line["step"] for line in read_journal(tmp_path / "run")] == list(range(1, 8))
    # The batch is not to blame here, so the run can go on.
    pretrain(data, tmp_path / "run", recipe, resume=True, keep_state=True)
    outcome(tmp_path / "run").assert_equals(never_stopped("cnn"))


@pytest.mark.parametrize("checkpoint_every", [1, 3])
def test_a_learning_rate_beyond_all_measure_never_spoils_the_last_checkpoint(data, recipe, tmp_path, checkpoint_every):
    wild = recipe("steps=6", "learning_rate=1e38", "warmup=0", f"checkpoint_every={checkpoint_every}", "encoder=cnn")
    with pytest.raises(WorkFailed, match=r"step [12]: .*lower learning_rate"):
        pretrain(data, tmp_path / "run", wild)
    kept = load_checkpoint(tmp_path / "run" / "state")
    assert kept.step == 0
    assert all(tensor.isfinite().all() for part in kept.tensors.values() for tensor in part.values())
    assert not (tmp_path / "run" / "protorel.json").exists()


def test_weights_that_are_not_finite_after_the_last_step_are_no_result(data, recipe, tmp_path):
    with pytest.raises(WorkFailed, match="step 1: the norm of the weights is no longer finite"):
        pretrain(data, tmp_path / "run", recipe("steps=1", "learning_rate=1e38", "warmup=0"))
    assert not (tmp_path / "run" / "model.safetensors").exists()
    assert load_file(tmp_path / "run" / "state" / "step-0000000" / "encoder.safetensors")
