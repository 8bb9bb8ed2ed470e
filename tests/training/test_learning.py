from __future__ import annotations

import math

import pyarrow.parquet as pq
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.training.learning import LearningRecord


def cosine(left: list[float], right: list[float]) -> float:
    dot = sum(a * b for a, b in zip(left, right, strict=True))
    return dot / (math.sqrt(sum(a * a for a in left)) * math.sqrt(sum(b * b for b in right)))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(2, 5))
def test_margins_are_those_of_plain_loops(seed, batch, relations):
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(batch, 4, generator=generator)
    prototypes = torch.randn(relations, 4, generator=generator)
    own = torch.randint(relations, (batch,), generator=generator)

    record = LearningRecord()
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


def small_record() -> LearningRecord:
    record = LearningRecord()
    prototypes = torch.eye(2)
    for step, angle in ((1, 0.2), (2, 0.4)):
        vectors = torch.tensor([[math.cos(angle), math.sin(angle)], [math.cos(angle), math.sin(angle)]])
        record.add(step, [3, step], vectors, torch.tensor([0, 1]), prototypes)
    return record


def test_a_margin_below_zero_says_that_another_prototype_was_closer():
    margins = small_record().tensors()["margin"]
    assert (margins > 0).tolist() == [True, False, True, False]


def test_of_a_statement_that_came_up_twice_the_latest_cosine_counts():
    rows, cosines = small_record().latest()
    found = dict(zip(rows.tolist(), cosines.tolist(), strict=True))
    expected = {3: math.cos(0.4), 1: math.sin(0.2), 2: math.sin(0.4)}
    assert found == pytest.approx(expected, abs=1e-6)


def test_a_record_kept_and_taken_up_again_goes_on_in_the_same_columns(tmp_path):
    whole = small_record()
    ids = ["a", "b", "c", "d"]
    whole.write(tmp_path / "whole.parquet", ids=ids)
    # A safetensors file gives its tensors back in an order of its own.
    taken_up = LearningRecord(dict(reversed(whole.tensors().items())))
    taken_up.write(tmp_path / "again.parquet", ids=ids)
    table = pq.read_table(tmp_path / "whole.parquet")
    assert table.equals(pq.read_table(tmp_path / "again.parquet"))
    assert table.column_names == ["id", "step", "row", "cosine", "margin"]
    assert table.column("id").to_pylist() == ["d", "b", "d", "c"]


def test_recording_keeps_no_graph_alive():
    vectors = torch.ones(1, 2, requires_grad=True)
    record = LearningRecord()
    record.add(1, [0], vectors * 2, torch.tensor([0]), torch.eye(2))
    assert not any(tensor.requires_grad for tensor in record.tensors().values())


def test_an_empty_record_has_columns_and_no_rows():
    record = LearningRecord()
    assert {name: len(tensor) for name, tensor in record.tensors().items()} == dict.fromkeys(
        ("step", "row", "cosine", "margin"), 0
    )
    assert len(record.latest()[0]) == 0
