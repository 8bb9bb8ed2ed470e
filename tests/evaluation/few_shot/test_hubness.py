"""Hubness correction on the command line: by other relations only, and recorded in the result."""

import json

import pytest

from protorel.cli import run
from protorel.evaluation import evaluate_few_shot
from protorel.model import ModelSource
from protorel.statements import BadInput, DataSet, Statement, write_statements


@pytest.fixture
def asked(some_statements, tiny_encoder_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    write_statements(some_statements, tmp_path / "all.parquet")
    write_statements(some_statements[:4], tmp_path / "test.parquet")
    data = [str(tiny_encoder_folder), str(tmp_path / "test.parquet")]
    return ["evaluate", "fewshot", *data, "--way", "2", "--episodes", "20", "--json", str(tmp_path / "result.json")]


def test_the_result_says_which_statements_the_correction_used(asked, tmp_path):
    assert run(asked) == 0
    assert json.loads((tmp_path / "result.json").read_text())["crowd"] is None
    assert run([*asked, "--hubness", str(tmp_path / "all.parquet"), "--whiten", str(tmp_path / "all.parquet")]) == 0
    result = json.loads((tmp_path / "result.json").read_text())
    crowd = result["crowd"]
    assert (crowd["relations"], crowd["relations_left_out"], crowd["statements"]) == (1, 2, 2)
    assert (crowd["weight"], crowd["share"]) == (0.35, 0.005)
    assert crowd["fingerprint"] == result["background"]["fingerprint"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--hubness", "{test}"], "statements of other relations, got only those of the 2 relations"),
        (
            ["--hubness", "{all}", "--method", "nearest"],
            "hubness correction: expected the method prototype and the similarity cosine, got 'nearest'",
        ),
        (["--hubness", "{all}", "--similarity", "dot"], "got 'prototype' and 'dot'"),
        (["--hubness", "{all}", "--none-share", "0.1", "--threshold-from", "{all}"], "leave one out"),
    ],
)
def test_what_hubness_correction_cannot_be_combined_with_is_refused(given, said, asked, tmp_path, capsys):
    given = [part.format(test=tmp_path / "test.parquet", all=tmp_path / "all.parquet") for part in given]
    assert run([*asked, *given]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_file_without_labels_is_named(asked, some_statements, tmp_path, capsys):
    unlabelled = [Statement(s.text, s.head, s.tail) for s in some_statements]
    write_statements(unlabelled, tmp_path / "text.parquet")
    assert run([*asked, "--hubness", str(tmp_path / "text.parquet")]) == 2
    assert "text.parquet: expected labelled statements of other relations, got no label" in " ".join(
        capsys.readouterr().err.split()
    )


def test_a_correction_that_cannot_be_used_is_refused_before_the_run_is_read(some_statements, tmp_path):
    data, others = tmp_path / "test.parquet", tmp_path / "all.parquet"
    write_statements(some_statements[:4], data)
    write_statements(some_statements, others)
    with pytest.raises(BadInput, match=r"hubness correction: expected the method prototype .*, got 'mean'"):
        evaluate_few_shot(
            ModelSource("no such run"), DataSet.at(data), way=2, method="mean", hubness=DataSet.at(others)
        )
