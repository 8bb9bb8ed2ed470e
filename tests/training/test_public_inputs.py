"""The public functions of these rooms take what people have, and refuse anything else in one line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import protorel
from protorel import BadInput, Classifier, Prototypes, RelationModel, RelationVocabulary
from protorel.training import read_training_dynamics

CNN = {"encoder": "cnn", "steps": 1, "cnn.channels": 16, "cnn.most_frequent_words": 200}


class DataFrame:
    """What a pandas DataFrame does: it has columns, iterates over their names, and has no truth value."""

    def __init__(self, rows: list[dict[str, object]]) -> None:
        self.rows, self.columns = rows, list(rows[0])

    def to_dict(self, orient: str) -> list[dict[str, object]]:
        assert orient == "records"
        return self.rows

    def __iter__(self):
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        raise ValueError("The truth value of a DataFrame is ambiguous.")

    def __repr__(self) -> str:
        return "  text  head\n0  one  two\n"


def row_of(statement) -> dict[str, object]:
    head, tail = statement.head, statement.tail
    places = {"head": (head.start, head.stop), "tail": (tail.start, tail.stop)}
    return {"text": statement.text, "relation": statement.relation, "head_id": statement.head_id,
            "tail_id": statement.tail_id, **places}  # fmt: skip


@pytest.fixture(scope="module")
def rows(statements):
    return [row_of(statement) for statement in statements[:48]]


@pytest.fixture(scope="module")
def run(data, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    protorel.pretrain(data, folder, "smoke", **CNN)
    return folder


@pytest.fixture(scope="module")
def model(run) -> RelationModel:
    return RelationModel.from_pretrained(run)


WRONG = {
    "a DataFrame": lambda rows: DataFrame(rows),
    "dicts": lambda rows: rows,
    "None": lambda _: None,
    "a number": lambda _: 3.5,
    "an object": lambda _: object(),
    "a NUL": lambda _: "a\0b",
    "no such path": lambda _: Path("no-such-folder") / "x.parquet",
}
CALLS = {
    "pretrain data": lambda one, p: protorel.pretrain(one, p / "new", "smoke", **CNN),
    "pretrain out": lambda one, p: protorel.pretrain(p.data, one, "smoke", **CNN),
    "pretrain recipe": lambda one, p: protorel.pretrain(p.data, p / "new", one, **CNN),
    "pretrain decontaminate": lambda one, p: protorel.pretrain(p.data, p / "new", "smoke", decontaminate=one, **CNN),
    "pretrain equivalents": lambda one, p: protorel.pretrain(p.data, p / "new", "smoke", equivalents=one, **CNN),
    "pretrain descriptions": lambda one, p: protorel.pretrain(p.data, p / "new", "smoke", descriptions=one, **CNN),
    "pretrain start": lambda one, p: protorel.pretrain(p.data, p / "new", "smoke", start=one, **CNN),
    "pretrain watch": lambda one, p: protorel.pretrain(p.data, p / "new", "smoke", watch=one, **CNN),
    "finetune model": lambda one, p: protorel.finetune(one, p.data, p / "new", epochs=1),
    "finetune dev": lambda one, p: protorel.finetune("cnn", p.data, p / "new", dev=one, epochs=1),
    "finetune recipe": lambda one, p: protorel.finetune("cnn", p.data, p / "new", one),
    "load_recipe": lambda one, _: protorel.load_recipe(one),
    "load_recipe settings": lambda one, _: protorel.load_recipe("smoke", one),
    "load_recipe also_in": lambda one, _: protorel.load_recipe("smoke", also_in=one),
    "load_finetune_recipe": lambda one, _: protorel.load_finetune_recipe(one),
    "recipe_names": lambda one, _: protorel.recipe_names(one),
    "from_pretrained": lambda one, _: RelationModel.from_pretrained(one),
    "from_pretrained device": lambda one, p: RelationModel.from_pretrained(p.run, device=one),
    "from_pretrained readout": lambda one, p: RelationModel.from_pretrained(p.run, readout=one),
    "save_pretrained": lambda one, p: p.model.save_pretrained(one),
    "encode": lambda one, p: p.model.encode(one),
    "encode batch_size": lambda one, p: p.model.encode([], batch_size=one),
    "average_runs": lambda one, p: protorel.average_runs(one, p / "new"),
    "average_runs of two": lambda one, p: protorel.average_runs([one, one], p / "new"),
    "average_runs out": lambda one, p: protorel.average_runs([p.run, p.run], one),
    "Classifier": lambda one, _: Classifier(one, 4),
    "Classifier.load": lambda one, _: Classifier.load(one),
    "Classifier.answers": lambda one, _: Classifier(RelationVocabulary(["born_in"]), 4).answers(one),
}  # fmt: skip
FINE = {
    *((call, kind) for call in ("pretrain data", "finetune dev", "encode") for kind in ("a DataFrame", "dicts")),
    *((f"pretrain {name}", "None") for name in ("equivalents", "descriptions", "start", "watch")),
    *(("from_pretrained device", "None"), ("from_pretrained readout", "None"), ("finetune dev", "None")),
    *(("load_recipe also_in", "None"), ("recipe_names", "None")),
    *(("pretrain out", "no such path"), ("average_runs out", "no such path"), ("save_pretrained", "no such path")),
    ("from_pretrained readout", "a NUL"),  # a word encoder has one readout, so a name has no effect
}
"""What is accepted, so that it is not in the test of what is refused."""


class Given:
    """The arguments of a call that are right."""

    def __init__(self, folder: Path, data: Path, run: Path, model: RelationModel) -> None:
        self.folder, self.data, self.run, self.model = folder, data, run, model

    def __truediv__(self, name: str) -> Path:
        return self.folder / name


@pytest.mark.parametrize(("call", "kind"), [(c, k) for c in CALLS for k in WRONG if (c, k) not in FINE])
def test_a_wrong_argument_is_refused_in_one_line(call, kind, rows, data, run, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput) as found:
        CALLS[call](WRONG[kind](rows), Given(tmp_path, data, run, model))
    assert "\n" not in str(found.value)
    assert not (tmp_path / "new").exists()


def test_so_is_one_of_prototypes():
    """In a process of its own: here the shapes of tensors are checked first."""
    code = """
import torch
from protorel import BadInput, Prototypes, RelationVocabulary
for one in ({}, [1, 2], None, 3.5, object(), "a"):
    calls = [
        lambda: Prototypes.of(one, torch.eye(2)),
        lambda: Prototypes.of(RelationVocabulary(["born_in"]), one),
        lambda: Prototypes.load(one),
    ]
    for call in calls:
        try:
            call()
        except BadInput as problem:
            print(problem)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = ended.stdout.splitlines()
    assert len(lines) == 18
    assert lines[:3] == [
        "relations: expected a RelationVocabulary, got a mapping",
        "vectors: expected a tensor with one row per relation, got a mapping",
        "folder: expected a folder, got an object of type dict",
    ]


@pytest.mark.parametrize("form", [list, DataFrame])
def test_rows_and_tables_do_as_data_as_dev_set_and_as_test_set(form, rows, statements, tmp_path):
    held, others = rows[40:], rows[:40]
    protorel.pretrain(form(rows), tmp_path / "run", "smoke", min_statements=2, **CNN)
    with pytest.raises(BadInput, match=r"no labelled statement is left to train on: .* share something with data"):
        protorel.pretrain(form(rows), tmp_path / "none", "smoke", decontaminate=form(rows), **CNN)
    with pytest.raises(BadInput, match="no labelled statement is left"):
        protorel.pretrain(form(rows), tmp_path / "none", "smoke", decontaminate=[form(held), form(others)], **CNN)
    vectors = RelationModel.from_pretrained(tmp_path / "run").encode(form(rows))
    expected = RelationModel.from_pretrained(tmp_path / "run").encode(statements[: len(rows)])
    assert torch.equal(vectors, expected)


def test_a_recipe_of_no_kind_is_refused_in_one_line(data, tmp_path):
    with pytest.raises(BadInput, match="recipe: expected a recipe for fine-tuning, got FinetuneRecipe"):
        protorel.finetune("cnn", data, tmp_path / "new", protorel.FinetuneRecipe(kind="other"))


def test_settings_are_given_as_keywords_or_as_a_mapping(data, tmp_path):
    model = protorel.pretrain(data, tmp_path / "run", "smoke", encoder="cnn", steps=3)
    assert model.record.results.steps == 3
    assert protorel.load_recipe("smoke", {"steps": 3}).steps == 3


def test_folders_may_be_text(run, tmp_path):
    mean = protorel.average_runs([str(run), run], str(tmp_path / "mean"))
    assert mean.record.blend is not None
    assert torch.equal(Prototypes.load(str(run)).vectors, Prototypes.load(run).vectors)
    assert protorel.recipe_names(also_in=str(tmp_path)) == protorel.recipe_names()


def test_a_run_of_an_older_version_still_loads(run, model, tmp_path):
    """Its training dynamics were in `learning.parquet`, and its record had fewer parts."""
    old = tmp_path / "old"
    shutil.copytree(run, old)
    (old / "training_dynamics.parquet").rename(old / "learning.parquet")
    record = json.loads((old / "protorel.json").read_text())
    for part in ("precision", "batches", "descriptions", "statement_weights", "seconds", "phrase", "method"):
        record.pop(part)
    (old / "protorel.json").write_text(json.dumps(record))
    loaded = RelationModel.from_pretrained(old)
    assert loaded.fingerprint == model.fingerprint
    assert loaded.relations.ids == model.relations.ids
    assert read_training_dynamics(old).equals(read_training_dynamics(run))
