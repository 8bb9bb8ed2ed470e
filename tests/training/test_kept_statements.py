"""A run keeps its training statements when asked: which ones, in which order, and through kills and full disks."""

from __future__ import annotations

import dataclasses
import logging
import tracemalloc
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from protorel.model import RelationModel, read_record
from protorel.statements import BadInput, Statement, read_statements
from protorel.training import finetune, pretrain
from protorel.training.data import kept_statements as room
from protorel.training.data.kept_statements import keep_statements, rows_to_keep

PARQUET, VECTORS = "training_statements.parquet", "training_statements.safetensors"


def kept_in(run) -> list[Statement]:
    return read_statements(run / PARQUET)


def check_vectors(run) -> None:
    """Assert that the vectors are those of the statements, in the same order, by the finished encoder."""
    model, kept = RelationModel.from_pretrained(run), kept_in(run)
    vectors = load_file(run / VECTORS)["vectors"]
    assert vectors.dtype == torch.float16
    expected = F.normalize(model.encode(kept), dim=-1)
    torch.testing.assert_close(vectors.float(), expected, atol=1e-3, rtol=0)
    assert (expected @ expected.T).fill_diagonal_(0).min() < 0.999, "a wrong order would not be noticed"


@pytest.mark.parametrize("kind", ["transformer", "cnn"])
def test_pretraining_keeps_each_statement_once_per_label_with_its_vector(kind, statements, recipe, tmp_path):
    given = [*statements, statements[0], dataclasses.replace(statements[1], relation=statements[0].relation, id="also")]
    settings = ["steps=2", *(["encoder=cnn"] if kind == "cnn" else [])]
    model = pretrain(given, tmp_path / "run", recipe(*settings), keep_statements=True)
    assert kept_in(tmp_path / "run") == [*statements, given[-1]]
    check_vectors(tmp_path / "run")
    assert model.record.training_statements.kept == model.record.training_statements.of == len(statements) + 1
    assert {PARQUET, VECTORS} <= model.record.files.keys()
    again = RelationModel.from_pretrained(tmp_path / "run")
    assert again.training_statements == model.training_statements
    [answer] = model.predict(statements[:1])
    assert answer.evidence[3].similarity > 0.999
    assert not [path for path in (tmp_path / "run").iterdir() if path.name.endswith(".part")]


def test_a_run_trained_in_low_rank_keeps_the_vectors_of_its_merged_weights(data, recipe, tmp_path):
    pretrain(data, tmp_path / "run", recipe("steps=2", "low_rank=2"), keep_statements=True)
    check_vectors(tmp_path / "run")


def test_a_run_keeps_none_unless_asked(data, recipe, tmp_path):
    model = pretrain(data, tmp_path / "run", recipe("steps=1"))
    assert model.training_statements is None
    assert not list((tmp_path / "run").glob("training_statements*"))
    assert "training_statements" not in read_record(tmp_path / "run")


def test_a_number_keeps_so_many_evenly_over_relations(data, statements, recipe, tmp_path):
    pretrain(data, tmp_path / "run", recipe("steps=1"), keep_statements=66)
    kept = kept_in(tmp_path / "run")
    assert set(Counter(one.relation for one in kept).values()) == {3}
    places = [statements.index(one) for one in kept]
    assert places == sorted(places)
    check_vectors(tmp_path / "run")
    assert read_record(tmp_path / "run")["training_statements"] == {"kept": 66, "of": len(statements)}


def rows_of(labels: list[int]) -> SimpleNamespace:
    names = tuple("abcdef")
    return SimpleNamespace(groups=np.arange(len(labels)), relations=np.asarray(labels, dtype=np.int32), names=names)


def dealt_out(sizes: list[int], most: int) -> list[int]:
    """How many of each label a fair deal gives, sorted: one after the other, as long as there are any."""
    given = [0] * len(sizes)
    while most and given != sizes:
        for place, size in enumerate(sizes):
            if given[place] < size and most:
                given[place] += 1
                most -= 1
    return given


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=60), st.integers(1, 70), st.integers(0, 3))
def test_a_sample_is_what_a_fair_deal_gives(labels, most, seed):
    rows = rows_of(labels)
    found = rows_to_keep(rows, np.arange(len(labels)), most, seed=seed)
    assert found.tolist() == sorted(set(found.tolist()))
    assert len(found) == min(most, len(labels))
    assert found.tolist() == rows_to_keep(rows, np.arange(len(labels)), most, seed=seed).tolist()
    sizes, counts = Counter(labels), Counter(rows.relations[found].tolist())
    by_size = sorted(sizes, key=lambda label: (sizes[label], label))
    expected = dealt_out([sizes[label] for label in by_size], most)
    # Which labels get the last ones is drawn; how many each may have is not.
    assert sorted(counts[label] for label in sizes) == sorted(expected)
    if expected:
        full = max(expected)
        assert all(counts[label] == sizes[label] or counts[label] >= full - 1 for label in sizes)


def test_another_seed_draws_other_statements():
    rows = rows_of([0, 1] * 100)
    drawn = {tuple(rows_to_keep(rows, np.arange(200), 10, seed=seed).tolist()) for seed in range(5)}
    assert len(drawn) == 5


def test_statements_held_out_for_the_best_epoch_are_not_kept(statements, tuning, tmp_path):
    model = finetune("cnn", statements, tmp_path / "run", tuning("epochs=1", "hold_out=40"), keep_statements=True)
    record = read_record(tmp_path / "run")
    assert len(model.training_statements) == record["data"]["trained_on"] < len(statements)
    check_vectors(tmp_path / "run")


def test_few_shot_and_extraction_tuning_keep_them_too(statements, tuning, tmp_path):
    few = finetune("cnn", statements, tmp_path / "few", tuning("steps=2", base="fewrel"), keep_statements=44)
    assert len(few.training_statements) == 44
    check_vectors(tmp_path / "few")
    none = [dataclasses.replace(one, head=one.tail, tail=one.head, relation="no_relation") for one in statements[:50]]
    text = finetune("cnn", [*statements, *none], tmp_path / "text", tuning("epochs=1", base="extraction"),
                    keep_statements=True)  # fmt: skip
    assert {(one.key, one.relation) for one in kept_in(tmp_path / "text")} == {
        (one.key, one.relation) for one in [*statements, *none]
    }
    check_vectors(tmp_path / "text")
    [answer] = text.predict(none[:1])
    assert answer.evidence[3].relation == "no_relation"


def test_statements_without_a_relation_are_kept_as_such(statements, recipe, tmp_path):
    name = statements[0].relation
    given = [dataclasses.replace(one, relation="NA") if one.relation == name else one for one in statements]
    model = pretrain(given, tmp_path / "run", recipe("steps=1"), keep_statements=True)
    assert "NA" not in model.relations.ids
    assert kept_in(tmp_path / "run") == given


def test_a_run_killed_while_it_encodes_them_is_resumed(data, recipe, tmp_path, monkeypatch):
    def killed(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("protorel.training.base.keep_statements", killed)
        with pytest.raises(KeyboardInterrupt):
            pretrain(data, tmp_path / "run", recipe("steps=2"), keep_statements=True)
    assert not (tmp_path / "run" / "protorel.json").exists()
    assert not list((tmp_path / "run").glob("training_statements*"))
    pretrain(data, tmp_path / "run", recipe("steps=2"), keep_statements=True, resume=True)
    check_vectors(tmp_path / "run")
    assert sorted(path.name for path in (tmp_path / "run").iterdir() if path.name.startswith(".")) == []


def test_a_finished_run_is_not_changed_and_says_that_it_keeps_none(data, recipe, tmp_path, caplog):
    pretrain(data, tmp_path / "run", recipe("steps=1"))
    with caplog.at_level(logging.WARNING, "protorel"):
        model = pretrain(data, tmp_path / "run", recipe("steps=1"), keep_statements=True, resume=True)
    assert model.training_statements is None
    run = tmp_path / "run"
    said = f"{run}: finished without training statements. To keep them, train it again in another --out"
    assert caplog.messages == [said]


@pytest.mark.parametrize("wrong", [-1, 0, 1.5, "all", None])
def test_what_is_no_number_is_refused_before_any_work(data, recipe, tmp_path, wrong):
    for train in (
        lambda: pretrain(data, tmp_path / "run", recipe("steps=1"), keep_statements=wrong),
        lambda: finetune("cnn", data, tmp_path / "run", keep_statements=wrong),
    ):
        with pytest.raises(
            BadInput, match="keep_statements: expected True, False or a whole number of at least 1, got"
        ):
            train()
    assert not (tmp_path / "run").exists()


def test_statements_and_vectors_are_written_as_they_come(tmp_path, monkeypatch):
    """A list of 40,000 statements takes more than 30 MB, their vectors in float32 as much again."""
    count, width = 40_000, 200
    asked: list[int] = []

    def source():
        filler = "x" * 300
        for number in range(2 * count):
            yield Statement(f"ada met bela {number} {filler}", (0, 3), (8, 12), "met", id=f"{number}")

    def encode_rows(_, *, indices, batch_tokens):
        asked.append(len(indices))
        return torch.ones(len(indices), width)

    rows = SimpleNamespace(rows=None, origins=np.arange(2 * count))
    model = SimpleNamespace(encode_rows=encode_rows, encoder=SimpleNamespace(width=width), fingerprint="e")
    tracemalloc.start()
    kept = keep_statements(model, source, rows, np.arange(0, 2 * count, 2), tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(kept) == count == sum(asked)
    assert max(asked) == room._AT_ONCE
    assert peak < 25e6
    assert [one.id for one in kept_in(tmp_path)[:3]] == ["0", "2", "4"]
