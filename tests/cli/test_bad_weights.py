"""Weights that are not finite, or make vectors that are not: one line and exit code 2, never a figure."""

from __future__ import annotations

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from protorel.cli import run
from protorel.io.files import sha256

EPISODES = ("--way", "3", "--shot", "1", "--episodes", "20")


@pytest.fixture
def altered(tmp_path, finished_run):
    """Copy the finished run, change tensors of one of its files, and have its record agree."""

    def alter(file, change):
        folder = tmp_path / "run"
        shutil.copytree(finished_run, folder)
        tensors = load_file(folder / file)
        for name, tensor in tensors.items():
            change(name, tensor)
        save_file(tensors, folder / file, metadata={"format": "pt"})
        record = json.loads((folder / "protorel.json").read_text())
        record["files"][file] = sha256(folder / file)
        (folder / "protorel.json").write_text(json.dumps(record))
        return folder

    return alter


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(
    ("file", "tensor"),
    [("model.safetensors", "encoder.layer.1.output.dense.bias"), ("prototypes.safetensors", "prototypes")],
)
def test_a_run_with_a_number_that_is_not_finite_is_refused_by_file_and_tensor(
    fails, altered, data, file, tensor, value
):
    def change(name, found):
        if name == tensor:
            found.view(-1)[-1] = value

    folder = altered(file, change)
    line = fails("evaluate", "fewshot", folder, data, *EPISODES)
    assert f"{folder / file}: expected finite numbers, got NaN or infinity in 1 of" in line
    assert repr(tensor) in line


def test_an_encoder_with_nan_is_refused_before_it_is_evaluated_or_trained(fails, tmp_path, tiny_encoder_folder, data):
    shutil.copytree(tiny_encoder_folder, tmp_path / "encoder")
    path = tmp_path / "encoder" / "model.safetensors"
    tensors = load_file(path)
    tensors["embeddings.word_embeddings.weight"][7] = torch.nan
    save_file(tensors, path, metadata={"format": "pt"})
    for arguments in (
        ("evaluate", "fewshot", tmp_path / "encoder", data, *EPISODES),
        ("pretrain", "col_final", f"encoder={tmp_path / 'encoder'}", "--data", data, "--out", tmp_path / "new"),
    ):
        line = fails(*arguments)
        assert f"{path}: expected finite numbers" in line
        assert "'embeddings.word_embeddings.weight'" in line


@pytest.mark.parametrize("size", [1e38, 1e20])
def test_weights_that_are_finite_but_overflow_name_a_statement_and_what_to_do(fails, altered, data, size):
    """With 1e20 the vectors are finite too, but their lengths are not: all cosines would be 0."""

    def change(name, found):
        if name.startswith("encoder.layer.1.output.LayerNorm"):
            found.fill_(size)

    line = fails("evaluate", "fewshot", altered("model.safetensors", change), data, *EPISODES)
    assert line.startswith("protorel: statement ")
    assert "expected a finite vector from the encoder, got " in line
    assert "train it again with a lower learning rate" in line


def test_large_weights_whose_vectors_are_finite_are_evaluated(altered, data):
    def change(name, found):
        if name.startswith("encoder.layer.1.output.LayerNorm"):
            found.mul_(1e6)

    assert run(["evaluate", "fewshot", str(altered("model.safetensors", change)), str(data), *EPISODES]) == 0
