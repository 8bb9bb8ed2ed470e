from __future__ import annotations

import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from protorel.statements import BadInput, WorkFailed
from protorel.training.steps import training_dynamics
from protorel.training.steps.training_dynamics import TrainingDynamics

COLUMNS = ["step", "row", "cosine", "margin"]


@pytest.fixture
def record(tmp_path) -> TrainingDynamics:
    return TrainingDynamics(tmp_path / "parts")


def cosine(left: list[float], right: list[float]) -> float:
    dot = sum(a * b for a, b in zip(left, right, strict=True))
    return dot / (math.sqrt(sum(a * a for a in left)) * math.sqrt(sum(b * b for b in right)))


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(2, 5))
def test_margins_are_those_of_plain_loops(tmp_path_factory, seed, batch, relations):
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(batch, 4, generator=generator)
    prototypes = torch.randn(relations, 4, generator=generator)
    own = torch.randint(relations, (batch,), generator=generator)

    record = TrainingDynamics(tmp_path_factory.mktemp("record") / "parts")
    record.add(9, list(range(10, 10 + batch)), vectors, own, prototypes)

    found = record.tensors()
    assert found["step"].tolist() == [9] * batch
    assert found["row"].tolist() == list(range(10, 10 + batch))
    for i in range(batch):
        expected = cosine(vectors[i].tolist(), prototypes[own[i]].tolist())
        best_other = -1.0
        for r in range(relations):
            if r != own[i]:
                best_other = max(best_other, cosine(vectors[i].tolist(), prototypes[r].tolist()))
        assert found["cosine"][i].item() == pytest.approx(expected, abs=1e-5)
        assert found["margin"][i].item() == pytest.approx(expected - best_other, abs=1e-5)


def small(record: TrainingDynamics) -> TrainingDynamics:
    prototypes = torch.eye(2)
    for step, angle in ((1, 0.2), (2, 0.4)):
        vectors = torch.tensor([[math.cos(angle), math.sin(angle)], [math.cos(angle), math.sin(angle)]])
        record.add(step, [3, step], vectors, torch.tensor([0, 1]), prototypes)
    return record


def test_a_margin_below_zero_says_that_another_prototype_was_closer(record):
    margins = small(record).tensors()["margin"]
    assert (margins > 0).tolist() == [True, False, True, False]


@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_of_a_statement_that_came_up_twice_the_latest_cosine_counts(record, monkeypatch, at_once):
    monkeypatch.setattr(training_dynamics, "_AT_ONCE", at_once)
    rows, cosines = small(record).latest()
    assert rows.tolist() == [1, 2, 3]
    assert cosines.tolist() == pytest.approx([math.sin(0.2), math.sin(0.4), math.cos(0.4)], abs=1e-6)


def test_a_statement_twice_in_one_part_has_its_latest_cosine(record):
    for step, turn in enumerate(torch.rand(50, generator=torch.Generator().manual_seed(1)).tolist(), 1):
        record.add(step, [0, 0], torch.tensor([[1.0, turn], [1.0, 3 * turn]]), torch.tensor([0, 0]), torch.eye(2))
    assert record.latest()[1].tolist() == [pytest.approx(1 / math.hypot(1, 3 * turn), abs=1e-6)]


def test_a_record_kept_and_taken_up_again_goes_on_in_the_same_columns(record, tmp_path):
    ids = ["a", "b", "c", "d"]
    small(record).write(tmp_path / "whole.parquet", ids=ids)
    # A safetensors file gives its tensors back in an order of its own.
    taken_up = TrainingDynamics(tmp_path / "parts")
    taken_up.restore(dict(reversed(record.tensors().items())))
    taken_up.write(tmp_path / "again.parquet", ids=ids)
    table = pq.read_table(tmp_path / "whole.parquet")
    assert table.equals(pq.read_table(tmp_path / "again.parquet"))
    assert table.column_names == ["id", *COLUMNS]
    assert table.column("id").to_pylist() == ["d", "b", "d", "c"]


def test_recording_keeps_no_graph_alive(record):
    vectors = torch.ones(1, 2, requires_grad=True)
    record.add(1, [0], vectors * 2, torch.tensor([0]), torch.eye(2))
    assert not any(tensor.requires_grad for tensor in record.tensors().values())


def test_an_empty_record_has_columns_and_no_rows(record, tmp_path):
    found = record.tensors()
    assert {name: len(found[name]) for name in COLUMNS} == dict.fromkeys(COLUMNS, 0)
    assert (len(record), len(record.latest()[0])) == (0, 0)
    assert not (tmp_path / "parts").exists()


def recorded(record: TrainingDynamics, steps: range) -> TrainingDynamics:
    """Record batches of 1 to 5 statements, each a function of its step."""
    for step in steps:
        generator = torch.Generator().manual_seed(step)
        count = step % 5 + 1
        rows = torch.randint(9, (count,), generator=generator).tolist()
        vectors = torch.randn(count, 3, generator=generator)
        record.add(step, rows, vectors, torch.zeros(count, dtype=torch.long), torch.eye(3))
    return record


def written(record: TrainingDynamics, path) -> pa.Table:
    record.write(path, ids=[f"s{number}" for number in range(9)])
    return pq.read_table(path)


def test_a_long_record_holds_one_part_in_memory_and_loses_nothing(tmp_path, monkeypatch):
    whole = recorded(TrainingDynamics(tmp_path / "all"), range(200))
    monkeypatch.setattr(training_dynamics, "_AT_ONCE", 16)
    record = TrainingDynamics(tmp_path / "parts")
    for step in range(200):
        recorded(record, range(step, step + 1))
        assert len(record.tensors()["row"]) < 16
    assert len(list((tmp_path / "parts").iterdir())) > 30
    assert len(record) == len(whole) == 600
    assert written(record, tmp_path / "a").equals(written(whole, tmp_path / "b"))
    for found, expected in zip(record.latest(), whole.latest(), strict=True):
        assert torch.equal(found, expected)


@settings(max_examples=20)
@given(st.integers(0, 60), st.integers(0, 30))
def test_a_record_killed_after_any_checkpoint_ends_like_one_never_stopped(tmp_path_factory, saved, more):
    folder = tmp_path_factory.mktemp("record")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_dynamics, "_AT_ONCE", 16)
        whole = recorded(TrainingDynamics(folder / "whole"), range(90))
        first = recorded(TrainingDynamics(folder / "parts"), range(saved))
        save_file(first.tensors(), folder / "checkpoint")
        recorded(first, range(saved, saved + more))  # what the kill throws away
        (folder / "parts").mkdir(exist_ok=True)
        (folder / "parts" / ".000000000999.parquet.7.part").write_text("half")
        again = TrainingDynamics(folder / "parts")
        again.restore(load_file(folder / "checkpoint"))
        recorded(again, range(saved, 90))
        files = [{path.name: path.read_bytes() for path in (folder / name).iterdir()} for name in ("whole", "parts")]
        assert files[0] == files[1]
        assert written(again, folder / "a").equals(written(whole, folder / "b"))
        assert (folder / "a").read_bytes() == (folder / "b").read_bytes()


def test_a_checkpoint_of_an_older_version_that_holds_the_whole_record_is_taken_up(tmp_path, monkeypatch):
    tensors = recorded(TrainingDynamics(tmp_path / "older"), range(40)).tensors()
    monkeypatch.setattr(training_dynamics, "_AT_ONCE", 16)
    record = TrainingDynamics(tmp_path / "parts")
    record.restore({name: tensors[name] for name in COLUMNS})
    recorded(record, range(40, 90))
    assert len(record.tensors()["row"]) < 16
    whole = recorded(TrainingDynamics(tmp_path / "whole"), range(90))
    assert written(record, tmp_path / "a").equals(written(whole, tmp_path / "b"))


@pytest.fixture
def on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(training_dynamics, "_AT_ONCE", 16)
    record = recorded(TrainingDynamics(tmp_path / "parts"), range(40))
    return record.tensors(), sorted((tmp_path / "parts").iterdir())


def test_a_part_that_is_missing_is_noticed_when_the_run_is_resumed(on_disk, tmp_path):
    tensors, parts = on_disk
    parts[2].unlink()
    with pytest.raises(BadInput, match=r"parts: expected \d+ rows of training dynamics as in the checkpoint, got \d+"):
        TrainingDynamics(tmp_path / "parts").restore(tensors)


def test_a_part_that_is_cut_short_is_named_when_the_run_is_resumed(on_disk, tmp_path):
    tensors, parts = on_disk
    parts[2].write_bytes(parts[2].read_bytes()[:-9])
    with pytest.raises(BadInput, match=rf"{parts[2].name}: this part of the training dynamics is damaged"):
        TrainingDynamics(tmp_path / "parts").restore(tensors)


def test_a_changed_byte_is_noticed_before_the_record_is_written(on_disk, tmp_path):
    tensors, parts = on_disk
    content = bytearray(parts[2].read_bytes())
    content[len(content) // 8] ^= 0xFF
    parts[2].write_bytes(content)
    record = TrainingDynamics(tmp_path / "parts")
    record.restore(tensors)
    with pytest.raises(BadInput, match=rf"{parts[2].name}: this part of the training dynamics is damaged"):
        written(record, tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_a_disk_that_is_full_is_said_in_one_line(record, tmp_path, monkeypatch):
    monkeypatch.setattr(training_dynamics, "_AT_ONCE", 2)
    (tmp_path / "parts").mkdir()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("protorel.training.steps.training_dynamics.pq.write_table", full)
    with pytest.raises(WorkFailed, match=r"0\.parquet: cannot write here \(No space left.*the last checkpoint is kept"):
        small(record)
