"""What we wrote ourselves, changed at random: run folders and checkpoints are refused in one line, caches rebuilt."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.batches import StatementTokenizer
from protorel.batches.token_cache import training_rows
from protorel.encoders import bf16
from protorel.evaluation.embedding_space import encode_once
from protorel.model import ModelSource, RelationModel
from protorel.statements import BadInput, read_statements
from protorel.training import read_journal
from protorel.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint

# Each loads a model: `make fuzz` draws few in a round, and has many rounds.
FEW = settings(max_examples=12 if settings.default.derandomize else 60)
WORD_FILES = [
    "protorel.json", "relations.json", "classifier.json", "tokenizer.json", "tokenizer_config.json",
    "model.safetensors", "prototypes.safetensors", "classifier.safetensors", "method.safetensors",
    "training_statements.parquet", "training_statements.safetensors",
]  # fmt: skip
TRANSFORMER_FILES = ["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors", "protorel.json"]
EPISODES = ["--way", "2", "--shot", "1", "--episodes", "2"]


def changed_file(data: st.DataObject, path: Path, change) -> bytes:
    """Return a file's content changed; of safetensors, often only what its header says."""
    content = path.read_bytes()
    if path.suffix == ".safetensors" and data.draw(st.booleans(), label="header"):
        stop = 8 + int.from_bytes(content[:8], "little")
        header = change(data, content[8:stop].rstrip())
        return len(header).to_bytes(8, "little") + header + content[stop:]
    return change(data, content)


def change_run(data: st.DataObject, run: Path, name: str, change) -> None:
    """Change a file of a run and, as a rule, its hash in the record too: what is wrong must be seen without it."""
    content = changed_file(data, run / name, change)
    (run / name).write_bytes(content)
    if name != "protorel.json" and data.draw(st.integers(0, 4), label="hash"):
        record = json.loads((run / "protorel.json").read_text())
        record["files"][name] = hashlib.sha256(content).hexdigest()
        (run / "protorel.json").write_text(json.dumps(record))


def used(run: Path, data_file: Path, reads_well, ends_well) -> None:
    read = reads_well(lambda: (RelationModel.from_pretrained(run), ModelSource.find(run).lineage()))
    code = ends_well(["evaluate", "fewshot", run, data_file, *EPISODES], run.parent)
    assert read or code == 2
    ends_well(["evaluate", "pairs", run, data_file], run.parent)
    ends_well(["predict", run, data_file, "--out", "-"], run.parent)


@pytest.mark.parametrize("name", WORD_FILES)
@FEW
@given(data=st.data())
def test_a_changed_run_works_or_is_refused(name, data, change, reads_well, ends_well, word_run, data_file):
    with TemporaryDirectory() as folder:
        run = Path(shutil.copytree(word_run, Path(folder) / "run"))
        change_run(data, run, name, change)
        used(run, data_file, reads_well, ends_well)


@pytest.mark.parametrize("name", TRANSFORMER_FILES)
@FEW
@given(data=st.data())
def test_a_changed_run_of_a_transformer_works_or_is_refused(
    name, data, change, reads_well, ends_well, transformer_run, data_file
):
    with TemporaryDirectory() as folder:
        run = Path(shutil.copytree(transformer_run, Path(folder) / "run"))
        change_run(data, run, name, change)
        used(run, data_file, reads_well, ends_well)


@pytest.mark.parametrize("name", TRANSFORMER_FILES[:-1])
@FEW
@given(data=st.data())
def test_a_changed_encoder_that_is_no_run_works_or_is_refused(
    name, data, change, ends_well, tiny_encoder_folder, data_file
):
    with TemporaryDirectory() as folder:
        encoder = Path(shutil.copytree(tiny_encoder_folder, Path(folder) / "encoder"))
        (encoder / name).write_bytes(changed_file(data, encoder / name, change))
        ends_well(["evaluate", "fewshot", encoder, data_file, *EPISODES], encoder.parent)


@FEW
@given(data=st.data())
def test_a_changed_checkpoint_or_journal_is_read_or_refused(data, change, reads_well):
    tensors = {"encoder": {"weight": torch.zeros(2, 3)}, "optimiser": {"0.step": torch.tensor(4.0)}}
    with TemporaryDirectory() as folder:
        place = save_checkpoint(Checkpoint(3, tensors, {"recipe": {"steps": 9}, "data": "abc"}, 1.5), Path(folder))
        path = data.draw(st.sampled_from(sorted(place.iterdir())), label="file")
        path.write_bytes(changed_file(data, path, change))
        if path.name != "checkpoint.json" and data.draw(st.booleans(), label="hash"):
            record = json.loads((place / "checkpoint.json").read_text())
            record["files"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
            (place / "checkpoint.json").write_text(json.dumps(record))
        reads_well(lambda: load_checkpoint(Path(folder)))
        lines = b'{"step": 1, "loss": 0.5, "terms": {"s2s": 0.5}}\n{"step": 2, "loss": 0.25, "terms": {}}\n'
        (Path(folder) / "journal.jsonl").write_bytes(change(data, lines))
        assert all(isinstance(line["step"], int) for line in read_journal(Path(folder)))


@FEW
@given(data=st.data())
def test_changed_caches_give_what_was_in_them(data, change, word_run, data_file):
    model, statements = RelationModel.from_pretrained(word_run), read_statements(data_file)
    tokenizer = StatementTokenizer.load(word_run, markers=False)

    def found(root: Path) -> list[np.ndarray]:
        rows = training_rows(lambda: statements, tokenizer, max_length=32, data_fingerprint="f", root=root / "tokens")
        vectors = encode_once(model, statements, root=root / "vectors").numpy()
        return [np.array(one) for one in (vectors, rows.rows.tokens, rows.relations, rows.rows.starts, rows.groups)]

    with TemporaryDirectory() as folder:
        root = Path(folder)
        before = found(root)
        path = data.draw(st.sampled_from(sorted(path for path in root.rglob("*") if path.is_file())), label="file")
        path.write_bytes(change(data, path.read_bytes()))
        assert all(np.array_equal(one, other) for one, other in zip(before, found(root), strict=True))


@FEW
@given(data=st.data())
def test_a_changed_verdict_on_bf16_is_read_or_counts_as_none(data, change):
    verdict = {"ratio": 1.5, "limit": "", "problem": "", "processor": "x", "torch": "2"}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "verdict.json"
        path.write_bytes(change(data, json.dumps(verdict).encode()))
        kept = bf16._stored(path)
        assert kept is None or kept.problem or 0 < kept.ratio < float("inf")


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("num_hidden_layers", 10**9, "'num_hidden_layers': expected at most 100,000, got 1,000,000,000"),
        ("num_hidden_layers", 90_000, "expected an encoder of about"),
        ("num_labels", 10**9, "'num_labels': expected at most 100,000"),
        ("vocab_size", 10**10, "config.json: expected an encoder of about"),
        ("intermediate_size", 10**9, "config.json: expected an encoder of about"),
        ("return_dict", False, "expected an encoder that can be loaded"),
    ],
)
def test_a_config_that_asks_for_more_than_the_weights_is_refused_before_memory_is_taken(
    tmp_path, tiny_encoder_folder, name, value, told
):
    encoder = Path(shutil.copytree(tiny_encoder_folder, tmp_path / "encoder"))
    config = json.loads((encoder / "config.json").read_text())
    (encoder / "config.json").write_text(json.dumps({**config, name: value}))
    with pytest.raises(BadInput, match=re.escape(told)):
        RelationModel.from_pretrained(encoder)


@pytest.mark.parametrize("token", [-1, 2**31, 10_000_001])
def test_a_tokenizer_with_a_token_id_beyond_all_use_is_refused_in_one_line(tiny_encoder_folder, tmp_path, token):
    folder = tmp_path / "encoder"
    shutil.copytree(tiny_encoder_folder, folder)
    told = json.loads((folder / "tokenizer.json").read_text())
    told["model"]["vocab"]["far"] = token
    (folder / "tokenizer.json").write_text(json.dumps(told))
    with pytest.raises(BadInput, match="encoder: ") as problem:
        StatementTokenizer.load(str(folder), markers=True, local=True)
    assert "\n" not in str(problem.value)
