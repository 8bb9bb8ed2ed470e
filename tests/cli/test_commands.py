"""Commands that do what they say."""

import json
import subprocess
import sys

import pytest

from protorel.cli import run
from protorel.statements import read_statements


def test_convert_prints_the_three_counts(jsonl, tmp_path, capsys):
    path = jsonl(
        {"text": "Ada Kroll was born in Lunsk.", "head": [0, 9], "tail": [22, 27], "relation": "born_in"},
        {"tokens": ["Ada", "met", "Bo"], "head": [0, 1], "tail": [2, 3]},
        {"text": "Ada met Bo.", "head": [0, 3], "tail": [3, 3]},
    )
    assert run(["convert", str(path), "--format", "jsonl", "--out", str(tmp_path / "mine.parquet")]) == 0
    assert capsys.readouterr().out == (
        "3 rows read = 2 statements written to mine.parquet + 1 rejected (mine.rejects.jsonl)\n"
    )
    assert [statement.head_text for statement in read_statements(tmp_path / "mine.parquet")] == ["Ada Kroll", "Ada"]


def test_evaluate_writes_every_setting_that_made_the_result_and_no_path(finished_run, data, tmp_path, capsys):
    out = tmp_path / "result.json"
    arguments = ["evaluate", "fewshot", str(finished_run), str(data), "--way", "5", "--shot", "2"]
    assert run([*arguments, "--episodes", "50", "--seed", "3", "--method", "nearest", "--json", str(out)]) == 0
    assert "5-way 2-shot" in capsys.readouterr().out
    text = out.read_text()
    result = json.loads(text)
    assert {key: result[key] for key in ("task", "way", "shot", "episodes", "seed", "method")} == {
        "task": "fewshot", "way": 5, "shot": 2, "episodes": 50, "seed": 3, "method": "nearest",
    }  # fmt: skip
    assert 0 <= result["accuracy"] <= 1
    assert 0 <= result["margin"] <= 1
    assert result["data"]["name"] == "train.parquet"
    assert len(result["data"]["fingerprint"]) == len(result["run"]["fingerprint"]) == 64
    assert result["run"]["recipe"]["steps"] == 2
    assert str(data.parent) not in text


def test_evaluating_twice_encodes_once_and_gives_the_same_figures(finished_run, data, tmp_path, monkeypatch):
    arguments = ["evaluate", "fewshot", str(finished_run), str(data), "--episodes", "30"]
    assert run([*arguments, "--json", str(tmp_path / "a.json")]) == 0
    monkeypatch.setattr("protorel.model.RelationModel.encode", lambda *_, **__: pytest.fail("encoded again"))
    assert run([*arguments, "--json", str(tmp_path / "b.json")]) == 0
    assert (tmp_path / "a.json").read_text() == (tmp_path / "b.json").read_text()


def test_a_run_that_was_stopped_goes_on_by_resume(recipe, data, tmp_path, capsys):
    arguments = ["pretrain", str(recipe), "--data", str(data), "--out", str(tmp_path / "run")]
    assert run([*arguments, "--keep-state"]) == 0
    (tmp_path / "run" / "protorel.json").unlink()
    assert run([*arguments, "--resume"]) == 0
    assert "22 prototypes" in capsys.readouterr().out
    assert not (tmp_path / "run" / "state").exists()


def test_resuming_a_finished_run_says_so_in_one_line_and_is_no_error(recipe, data, finished_run, capsys):
    arguments = ["pretrain", str(recipe), "--data", str(data), "--out", str(finished_run), "--resume"]
    assert run(arguments) == 0
    said = capsys.readouterr()
    assert said.err == f"protorel: {finished_run}: finished already (2 steps); nothing to do\n"
    assert "22 prototypes" in said.out


def test_an_error_has_no_traceback_unless_debug_asks_for_it(tmp_path):
    command = [sys.executable, "-m", "protorel", "convert", "nothing.json", "--format", "fewrel", "--out", "x.parquet"]
    plain = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (plain.returncode, plain.stdout) == (2, "")
    assert plain.stderr == "protorel: nothing.json: no such file or folder\n"
    debug = subprocess.run([*command, "--debug"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "Traceback" in debug.stderr


def test_wrong_usage_ends_with_exit_code_2(capsys):
    assert run(["convert"]) == 2
    assert "Missing" in capsys.readouterr().err


def test_a_fault_of_ours_is_one_line_too(monkeypatch, capsys, tmp_path):
    def broken(*_, **__):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("protorel.corpora.check_conversion", broken)
    assert run(["convert", "x", "--format", "jsonl", "--out", str(tmp_path / "x.parquet")]) == 1
    assert "internal error: ZeroDivisionError" in capsys.readouterr().err


def test_evaluating_on_relations_that_the_run_was_trained_on_is_said(finished_run, data, capsys):
    assert run(["evaluate", "fewshot", str(finished_run), str(data), "--episodes", "10"]) == 0
    assert "note: the run was trained on 22 of these 22 relations" in capsys.readouterr().err


def test_a_batch_larger_than_the_data_is_cut_to_what_there_is_and_said_in_one_line(recipe, data, tmp_path, capsys):
    arguments = ["pretrain", recipe, "relations_per_batch=99", "--data", data, "--out", tmp_path / "run"]
    assert run([str(argument) for argument in arguments]) == 0
    assert capsys.readouterr().err == "protorel: relations_per_batch=99: the data has 22 relations, so a batch has 22\n"
