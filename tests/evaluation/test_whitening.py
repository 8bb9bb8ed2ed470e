"""Whitening from background relations, strictly other than those under test."""

import json

import pytest
import torch

from protorel.cli import run
from protorel.evaluation import whiten_by
from protorel.geometry import Prototypes
from protorel.model import RelationModel
from protorel.statements import BadInput, write_statements


@pytest.fixture
def model(tiny_encoder, tiny_tokenizer, tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    return RelationModel(tiny_encoder, tiny_tokenizer, Prototypes.none(tiny_encoder.width), 64)


def test_relations_under_test_are_left_out(model, some_statements):
    all_of_them = whiten_by(model, some_statements, [])
    strict = whiten_by(model, some_statements, ["spouse", "unheard_of"])
    used = [(len(b.others.names), len(b.others.statements), b.others.left_out) for b in (all_of_them, strict)]
    assert used == [(3, 6, 0), (2, 4, 1)]
    alone = whiten_by(model, [s for s in some_statements if s.relation != "spouse"], [])
    torch.testing.assert_close(strict.whitening.matrix.abs(), alone.whitening.matrix.abs())


def test_a_background_of_nothing_but_tested_relations_is_refused(model, some_statements):
    with pytest.raises(BadInput, match="got 0 statements of 0 such relations"):
        whiten_by(model, some_statements, ["born_in", "died_in", "spouse"])


def test_the_command_line_whitens_and_says_by_what(some_statements, tiny_encoder_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    write_statements(some_statements, tmp_path / "all.parquet")
    write_statements(some_statements[:4], tmp_path / "test.parquet")
    arguments = ["evaluate", "fewshot", str(tiny_encoder_folder), str(tmp_path / "test.parquet"), "--way", "2"]
    arguments += ["--episodes", "20", "--json", str(tmp_path / "result.json")]
    assert run(arguments) == 0
    assert json.loads((tmp_path / "result.json").read_text())["background"] is None
    assert run([*arguments, "--whiten", str(tmp_path / "all.parquet")]) == 0
    background = json.loads((tmp_path / "result.json").read_text())["background"]
    assert (background["relations"], background["relations_left_out"], background["statements"]) == (1, 2, 2)
