from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from protorel.evaluation import embedding_space, encode_once
from protorel.geometry import Prototypes
from protorel.io.array_cache import ArrayCache, CachedArrays
from protorel.model import RelationModel


@pytest.fixture
def model(tiny_encoder, tiny_tokenizer) -> RelationModel:
    return RelationModel(tiny_encoder, tiny_tokenizer, Prototypes.none(tiny_encoder.width), max_length=64)


@pytest.fixture
def encoded(monkeypatch) -> list[int]:
    """How many statements were encoded, each time that some were."""
    counts: list[int] = []
    encode = RelationModel.encode

    def counted(self, statements):
        counts.append(len(statements))
        return encode(self, statements)

    monkeypatch.setattr(RelationModel, "encode", counted)
    return counts


def entry(root: Path) -> Path:
    (folder,) = root.iterdir()
    return folder


def test_statements_are_encoded_once_and_found_equal(model, some_statements, tmp_path, encoded):
    first, again = (encode_once(model, some_statements, root=tmp_path) for _ in range(2))
    assert encoded == [6]
    assert torch.equal(first, again)
    again += 1  # what is returned is the caller's own
    assert torch.equal(encode_once(model, some_statements, root=tmp_path), first)


def test_other_statements_or_another_model_are_encoded(model, some_statements, tmp_path, encoded):
    encode_once(model, some_statements, root=tmp_path)
    encode_once(model, some_statements[1:], root=tmp_path)
    encode_once(dataclasses.replace(model, max_length=63), some_statements, root=tmp_path)
    assert encoded == [6, 5, 6]
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("file", ["vectors.npy", "manifest.json"])
def test_a_flipped_bit_or_a_cut_file_is_noticed(model, some_statements, tmp_path, encoded, file):
    right = encode_once(model, some_statements, root=tmp_path)
    path = entry(tmp_path) / file
    content = path.read_bytes()
    for changed in (content[:-9] + bytes([content[-9] ^ 64]) + content[-8:], content[: len(content) // 2], b""):
        path.write_bytes(changed)
        assert torch.equal(encode_once(model, some_statements, root=tmp_path), right)
        assert path.read_bytes() == content
    assert encoded == [6] * 4


@pytest.mark.parametrize(
    "change",
    [
        lambda vectors: vectors[:-1],
        lambda vectors: vectors[:, :-1],
        lambda vectors: vectors.T,
        lambda vectors: vectors.astype(np.float64),
        lambda vectors: vectors * np.float32("nan"),
        lambda vectors: vectors * np.float32("inf"),
    ],
    ids=["a row less", "narrower", "turned", "another type", "NaN", "infinity"],
)
def test_vectors_that_the_model_cannot_have_made_are_not_used_whoever_wrote_them(
    model, some_statements, tmp_path, encoded, change
):
    right = encode_once(model, some_statements, root=tmp_path)
    folder = entry(tmp_path)
    told = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").unlink()
    odd = CachedArrays({"vectors": np.ascontiguousarray(change(right.numpy()))}, {})
    ArrayCache(folder, told["schema"], told["key"]).get(lambda: odd, lambda _: None)
    assert torch.equal(encode_once(model, some_statements, root=tmp_path), right)
    assert encoded == [6, 6]


def test_a_cache_of_an_older_version_is_built_again(model, some_statements, tmp_path, encoded, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(embedding_space, "_SCHEMA", "vectors of statements, version 1")
        right = encode_once(model, some_statements, root=tmp_path)
    for _ in range(2):
        assert torch.equal(encode_once(model, some_statements, root=tmp_path), right)
    assert encoded == [6, 6]
    assert entry(tmp_path).is_dir()


def test_without_a_place_to_write_statements_are_encoded_each_time(
    model, some_statements, tmp_path, encoded, caplog, monkeypatch
):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "file"))
    (tmp_path / "file").write_text("not a folder")
    first, again = (encode_once(model, some_statements) for _ in range(2))
    assert torch.equal(first, again)
    assert encoded == [6, 6]
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("protorel", "WARNING")
    assert record.getMessage().startswith(f"{tmp_path / 'file' / 'vectors'}: this cache cannot be written")


def test_no_statements_have_no_vectors(model, tmp_path):
    for _ in range(2):
        assert encode_once(model, [], root=tmp_path).shape == (0, model.encoder.width)
