"""A run folder that was altered by hand works, or is refused in one line that names the file; nothing else."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from protorel.cli import run as command
from protorel.encoders import CNNEncoder, word_tokenizer
from protorel.fewshot import make_method
from protorel.fewshot.method_settings import SiameseSettings
from protorel.geometry import Prototypes
from protorel.io import files as io_files
from protorel.model import Classifier, ModelSource, RelationModel, read_record, write_training_statements
from protorel.statements import BadInput, Relation, RelationVocabulary, Span, Statement, write_statements
from protorel.training import load_finetune_recipe, read_journal
from protorel.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from protorel.training.folder import finished_model

WORDS = ["ada", "kroll", "bela", "born", "died", "lives", "in", "lunsk", "oster", "mere"]
RELATIONS = RelationVocabulary([Relation("born", "born in"), Relation("died", "died in", "a place"), "lives"])
SHARED = {"train_statements": 3, "test_statements": 2}
TEST_SET = {"name": "test", "fingerprint": "f" * 64, "may_share": ["pairs"], "shared": {"pairs": SHARED, "any": SHARED}}
RECORD: dict[str, Any] = {
    "recipe": {"name": "tiny", "kind": "episodes", "seed": 0, "similarity": "cosine", "judged_by": None, "steps": 3},
    "precision": {"asked": "auto", "used": "fp32", "reason": "asked for"},
    "started_from": {"name": "before", "fingerprint": "e" * 64},
    "data": {"fingerprint": "d" * 64, "statements": 12, "relations": 3, "unlabelled": 0, "rejected": []},
    "dev": {"statements": 4},
    "blend": [{"run": "a", "fingerprint": "a" * 64}],
    "leakage": {
        "apart_from": [TEST_SET],
        "removed": 3,
        "settings": {"near_duplicates": {"size": 3}},
        "started_from": {"name": "before", "apart_from": ["f" * 64], "relations": ["born"]},
    },
    "finished": "2026-01-01T00:00:00Z",
    "seconds": 1.5,
    "results": {"steps": 3, "epochs": 1, "best_epoch": 1, "dev_scores": [0.5], "last_terms": {"examples": 0.5}},
}
GONE = object()
DEEP: list[Any] = []
for _ in range(400):
    DEEP = [DEEP]
WRONG = [
    GONE, None, True, -1, 0, 3, 0.5, 10**30, 2**40, "", "x", "../../x", "\ud800", "x" * 100_000, [], [[]], [None], {},
    {"": 1}, DEEP, float("nan"), float("inf"),
]  # fmt: skip


def statements() -> list[Statement]:
    made = []
    for verb in ("born", "died", "lives"):
        for who, where in (("ada", "lunsk"), ("bela", "oster"), ("kroll", "mere"), ("ada", "oster")):
            text = f"{who} {verb} in {where}"
            spans = Span(0, len(who)), Span(len(text) - len(where), len(text))
            made.append(Statement(text, *spans, relation=verb, id=f"{verb}-{len(made)}"))
    return made


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("altered") / "data.parquet"
    write_statements(statements(), path)
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A finished run with everything that a record can speak of."""
    tokenizer = word_tokenizer(WORDS)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        encoder = CNNEncoder(words=tokenizer.layout.vocabulary_size, word_width=4, channels=6)
        prototypes = Prototypes.of(RELATIONS, torch.randn(3, 6))
    method = make_method(SiameseSettings(), width=6, seed=0)
    classifier = Classifier(RELATIONS, 6, hidden=2)
    model = RelationModel(encoder, tokenizer, prototypes, 32, "whole", classifier, method, "{head} {name} {tail}")
    place, folder = tmp_path_factory.mktemp("kept"), tmp_path_factory.mktemp("altered") / "whole"
    kept = write_training_statements(
        place, statements(), [model.encode(statements())], count=12, width=6, encoder=model.fingerprint
    )
    dataclasses.replace(model, training_statements=kept).save_pretrained(folder, record=RECORD)
    return folder


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value inside a value."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*before, key)
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*before, key))


def altered(value: Any, place: tuple[Any, ...], wrong: Any) -> Any:
    changed = copy.deepcopy(value)
    *way, last = place
    inside = changed
    for step in way:
        inside = inside[step]
    if wrong is GONE:
        del inside[last]
    else:
        inside[last] = wrong
    return changed


def write(folder: Path, name: str, value: Any) -> None:
    """Write a file of a run, and its hash into the record: what is wrong with it must be seen without that."""
    text = json.dumps(value).replace("Infinity", "1e400")
    (folder / name).write_text(text)
    if name != "protorel.json":
        record = json.loads((folder / "protorel.json").read_text())
        record["files"][name] = hashlib.sha256(text.encode()).hexdigest()
        (folder / "protorel.json").write_text(json.dumps(record))


def evaluated(folder: Path, data: Path, *options: str) -> tuple[int, str]:
    """Run `protorel evaluate fewshot`, and return its exit code and what it says of problems."""
    with redirect_stderr(StringIO()) as said, redirect_stdout(StringIO()):
        code = command(["evaluate", "fewshot", str(folder), str(data), *options])
    return code, said.getvalue()


def works_or_is_refused(folder: Path, data: Path) -> bool:
    """Tell whether a run works; fail where it neither works nor is refused as it should be."""
    refused = ""
    try:
        RelationModel.from_pretrained(folder)
        ModelSource.find(folder).lineage()
    except BadInput as problem:
        refused = str(problem)
    assert "\n" not in refused
    assert not refused or str(folder) in refused
    assert len(refused) < len(str(folder)) + 500
    options = ["--way", "3", "--shot", "1", "--episodes", "2", "--json", str(folder / "result.json")]
    code, said = evaluated(folder, data, *options)
    assert "internal error" not in said
    assert code in (0, 2), said
    if code == 2:
        assert said.count("\n") == 1, said
    assert not refused or code == 2, said
    return code == 0


@pytest.fixture(scope="module")
def files(whole):
    """Every file of JSON that a run has from us, and all places in it."""
    names = ("protorel.json", "relations.json", "classifier.json")
    values = {name: json.loads((whole / name).read_text()) for name in names}
    return values, [(name, place) for name in names for place in places(values[name])]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))


def test_the_run_itself_works(whole, data, tmp_path):
    shutil.copytree(whole, tmp_path / "run")
    assert works_or_is_refused(tmp_path / "run", data)


@settings(max_examples=60)
@given(choice=st.data())
def test_any_value_of_a_run_may_be_replaced_by_any_other(choice, whole, data, files):
    values, where = files
    name, place = choice.draw(st.sampled_from(where), label="place")
    wrong = choice.draw(st.sampled_from(WRONG), label="value")
    with TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        shutil.copytree(whole, run)
        write(run, name, altered(values[name], place, wrong))
        works_or_is_refused(run, data)


@pytest.mark.parametrize(
    ("place", "wrong", "told"),
    [
        (("files",), None, "files: expected an object, got None"),
        (("files", "config.json"), "0" * 64, "config.json: this file of the run is missing"),
        (("files", "../../etc/passwd"), "0" * 64, "files.../../etc/passwd.[key]: expected"),
        (("files", "relations.json"), "x", "files.relations.json: expected"),
        (("files", "training_statements.parquet"), GONE, "files: expected training_statements.parquet and training_"),
        (("training_statements", "kept"), -1, "training_statements.kept: expected greater than or equal to 0, got -1"),
        (("encoder",), [], "encoder: expected an object, got a list"),
        (("encoder", "words"), -1, "encoder.words: expected greater than or equal to 1, got -1"),
        (("encoder", "words"), 2**30, "model.safetensors: 'word.weight': expected the shape (1073741824, 4)"),
        (("encoder", "window"), 4, "window=4: expected an odd number of words"),
        (("encoder", "kind"), "transformer", "the encoder cannot be read back"),
        (("max_length",), float("nan"), "has NaN, which is not valid JSON"),
        (("max_length",), "32", "max_length: expected a whole number, got '32'"),
        (("max_length",), True, "max_length: expected a whole number, got True"),
        (("max_length",), 0, "max_length: expected greater than or equal to 1, got 0"),
        (("max_length",), 10**30, "holds a whole number of 31 digits"),
        (("method", "width"), 7, "method.safetensors: 'weights': expected the shape (7,)"),
        (("method", "settings", "name"), "x", "method.settings: expected one whose 'name' is among 'gnn'"),
        (
            ("method", "settings"),
            {"name": "gnn", "layers": 10**9},
            "method.settings: gnn.layers: expected less than or equal to 100, got 1000000000",
        ),
        (("recipe", "similarity"), "x", "recipe.similarity: expected 'cosine', 'dot' or 'euclidean', got 'x'"),
        (("leakage", "apart_from", 0, "name"), GONE, "lacks leakage.apart_from[0].name"),
        (("seconds",), -1.5, "seconds: expected greater than or equal to 0, got -1.5"),
        (("phrase",), DEEP, "is nested too deeply"),
        (("phrase",), "no places", "phrase: "),
    ],
)
def test_the_file_and_the_field_are_named(whole, tmp_path, place, wrong, told):
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    record = json.loads((run / "protorel.json").read_text())
    write(run, "protorel.json", altered(record, place, wrong))
    with pytest.raises(BadInput) as refused:
        RelationModel.from_pretrained(run)
    assert str(run) in str(refused.value)
    assert told in str(refused.value)


def test_a_key_that_stands_twice_in_a_record_is_refused(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "run")
    text = (whole / "protorel.json").read_text()
    (tmp_path / "run" / "protorel.json").write_text(text.replace("{", '{"max_length": 3, ', 1))
    with pytest.raises(BadInput, match=r"protorel\.json: names 'max_length' twice in one object"):
        read_record(tmp_path / "run")


def test_a_record_of_an_older_or_a_newer_version_is_read(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "run")
    record = json.loads((whole / "protorel.json").read_text())
    older = {key: record[key] for key in ("format", "files", "encoder", "max_length", "method")}
    write(tmp_path / "run", "protorel.json", older)
    assert RelationModel.from_pretrained(tmp_path / "run").phrase is None
    assert ModelSource.find(tmp_path / "run").lineage().apart_from == frozenset()
    newer = {**record, "colour": ["red"], "encoder": record["encoder"], "leakage": {**record["leakage"], "more": 1}}
    write(tmp_path / "run", "protorel.json", newer)
    assert RelationModel.from_pretrained(tmp_path / "run").max_length == 32


@pytest.mark.parametrize(
    ("vectors", "told"),
    [
        (torch.zeros(3, 5), r"prototypes\.safetensors: expected the encoder's width 6, got 5"),
        (torch.zeros(4, 6), r"relations\.json: expected a relation for each of 4 prototypes, got 3"),
        (torch.zeros(3), r"prototypes\.safetensors: expected a matrix of numbers called prototypes"),
        (torch.zeros(3, 6, dtype=torch.int32), r"prototypes\.safetensors: expected a matrix of numbers"),
    ],
)
def test_prototypes_of_another_model_are_refused(whole, tmp_path, vectors, told):
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    save_file({"prototypes": vectors}, run / "prototypes.safetensors")
    record = json.loads((run / "protorel.json").read_text())
    record["files"]["prototypes.safetensors"] = hashlib.sha256(
        (run / "prototypes.safetensors").read_bytes()
    ).hexdigest()
    write(run, "protorel.json", record)
    with pytest.raises(BadInput, match=told):
        RelationModel.from_pretrained(run)


@pytest.mark.parametrize("name", ["protorel.json", "model.safetensors", "relations.json", "tokenizer.json"])
def test_a_file_without_permission_to_read_is_named(whole, data, monkeypatch, name):
    opened = os.open

    def no_permission(path, *arguments, **options):
        if path == whole / name:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **options)

    monkeypatch.setattr(os, "open", no_permission)
    with pytest.raises(BadInput, match=rf"{name}: .*\(Permission denied\)$"):
        RelationModel.from_pretrained(whole)
    code, said = evaluated(whole, data)
    assert (code, said.count("\n")) == (2, 1)


def test_a_folder_without_permission_to_look_into_is_named(whole, monkeypatch):
    def no_permission(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "is_file", no_permission)
    with pytest.raises(BadInput, match=r"whole: cannot be read \(Permission denied\)"):
        RelationModel.from_pretrained(whole)


def test_a_name_that_no_file_can_have_is_refused_in_a_short_line(data):
    code, said = evaluated(Path("x" * 5000), data)
    assert (code, said.count("\n")) == (2, 1)
    assert len(said) < 300


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"step": -1}, "step: expected greater than or equal to 0, got -1"),
        ({"step": 4}, "step: expected 3 as in the folder's name, got 4"),
        ({"files": None}, "files: expected an object, got None"),
        ({"files": {"../x": "0" * 64}}, "files.../x.[key]: expected"),
        ({"settings": {"recipe": 5}}, "settings.recipe: expected an object, got 5"),
        ({"seconds": -3}, "seconds: expected greater than or equal to 0, got -3"),
        ({"settings": DEEP}, "is nested too deeply"),
    ],
)
def test_a_checkpoint_that_was_altered_is_refused_in_one_line(tmp_path, wrong, told):
    tensors = {"encoder": {"weight": torch.zeros(2)}}
    place = save_checkpoint(Checkpoint(3, tensors, {"recipe": {"steps": 9}}), tmp_path) / "checkpoint.json"
    place.write_text(json.dumps({**json.loads(place.read_text()), **wrong}))
    with pytest.raises(BadInput) as refused:
        load_checkpoint(tmp_path)
    assert f"{place}: {told}" in str(refused.value)


@pytest.mark.parametrize("part", ["data", "leakage", "results"])
def test_a_finished_run_that_lacks_what_a_training_records_cannot_be_gone_on_with(whole, tmp_path, part):
    shutil.copytree(whole, tmp_path / "run")
    record = json.loads((whole / "protorel.json").read_text())
    write(tmp_path / "run", "protorel.json", altered(record, (part,), GONE))
    with pytest.raises(BadInput, match=rf"protorel\.json: lacks {part}$"):
        finished_model(tmp_path / "run", load_finetune_recipe("fewrel"))


def test_lines_that_are_not_of_a_journal_are_passed_over(tmp_path):
    good = b'{"step": 1, "loss": 0.5, "terms": {"s2s": 0.5}}'
    wrong = [
        b"5",
        b"[]",
        b"null",
        b'{"step": null}',
        b'{"step": -1}',
        b'{"step": 1, "terms": 5}',
        b"\xff",
        b"[" * 10**5,
    ]
    (tmp_path / "journal.jsonl").write_bytes(b"\n".join([*wrong, good, b'{"step": NaN}', b'{"step": 2, "te']))
    assert [line["step"] for line in read_journal(tmp_path)] == [1]


def test_a_file_beyond_all_use_is_not_parsed(tmp_path, monkeypatch):
    (tmp_path / "big.json").write_text("[" + "1," * 100 + "1]")
    monkeypatch.setattr(io_files.read_text, "__kwdefaults__", {"most_bytes": 100})
    with pytest.raises(BadInput, match=r"big\.json: expected at most 100 bytes, got more"):
        io_files.read_json(tmp_path / "big.json")
