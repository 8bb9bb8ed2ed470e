"""`protorel-paper data-budget` and `label-noise`: points, summary, curves, and bad input in one line."""

import json
import sys

import pytest

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.statements import write_statements
from protorel_paper.cli import run


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    world = build_small_world(SmallWorldSettings(statements_per_relation=8, held_out_per_relation=6))
    path = tmp_path_factory.mktemp("exam") / "exam.parquet"
    write_statements(world.test_relations, path)
    return path


@pytest.fixture
def command(recipe, data, exam, tmp_path):
    def of(kind, *more):
        given = [kind, recipe, "--data", data, "--test", exam, "--out", tmp_path / "out", *more]
        return [str(part) for part in [*given, "--episodes", "20", "--test-each", "4"]]

    return of


FILES = {"curves.png", "curves.svg", "summary.json", "summary.md", "points", "work"}


def test_a_data_budget_leaves_points_a_summary_and_curves_and_tells_of_the_claims(command, tmp_path, capsys):
    assert run(command("data-budget", "--relations", "0,4", "--statements", "0,3", "--seeds", "0,1")) == 0
    out = capsys.readouterr().out
    assert "point 1 of 3" in out
    assert "too few relations hurt" in out
    assert "3 points made, 3 finished" in out
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES | {"grid.png", "grid.svg"}
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert [row["relations"] for row in summary["rows"]] == [0, 4]
    assert summary["rows"][1]["seeds"] == [0, 1]
    assert run(command("data-budget", "--relations", "0,4", "--statements", "0,3", "--seeds", "0,1")) == 0
    assert "0 points made, 3 finished" in capsys.readouterr().out


def test_label_noise_leaves_points_a_summary_and_curves(command, tiny_encoder_folder, tmp_path, capsys):
    more = ["--rates", "0,0.4", "--kinds", "uniform", "--relations", "6", "--held-out", "2", "--against", "budget_ce"]
    assert run(command("label-noise", *more, "--model", tiny_encoder_folder, "steps=1")) == 0
    out = capsys.readouterr().out
    assert "4 points made, 4 finished" in out
    assert "loses less than budget_ce under uniform wrong labels" in " ".join(out.split())
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES


def test_without_matplotlib_all_but_the_curves_is_there(command, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert run(command("data-budget", "--relations", "4", "--statements", "3")) == 0
    assert "note: no curves: drawing needs matplotlib" in capsys.readouterr().err
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"summary.json", "summary.md", "points", "work"}


@pytest.mark.parametrize(
    ("kind", "more", "said"),
    [
        (
            "data-budget",
            ["--relations", "4,many"],
            "--relations 4,many: expected a list such as 0,20,100,all",
        ),
        ("data-budget", ["--statements", "-1"], "got '-1'"),
        ("data-budget", ["--seeds", "all"], "expected a list such as 0,1,2, got 'all'"),
        ("data-budget", ["--relations", "99"], "expected at least 99 relations to train on, got 22"),
        ("data-budget", ["--relations", "4", "--statements", "1"], "expected 0 or at least 2, got 1"),
        ("data-budget", ["--way", "11"], "expected at least 11 test relations for 11-way 1-shot, got 10"),
        ("data-budget", ["--against", "budgett"], "did you mean 'budget'?"),
        ("data-budget", ["--against", "budget"], "recipes: expected one starting encoder, got"),
        ("data-budget", ["--model", "no/such/encoder"], "no/such/encoder: expected a run folder"),
        ("data-budget", ["stepps=3"], "unknown key 'stepps'"),
        ("label-noise", ["--rates", "0,half"], "--rates: expected a list such as 0,0.2,0.4, got '0,half'"),
        ("label-noise", ["--rates", "nan"], "expected shares from 0 to below 1, got nan"),
        ("label-noise", ["--kinds", "rude"], "expected uniform or confusable, got 'rude'"),
        ("label-noise", ["--relations", "2,3"], "--relations: expected one number above 0, or all, got '2,3'"),
        ("label-noise", ["--statements", "0"], "expected one number above 0, or all"),
    ],
)
def test_bad_input_is_one_line_and_trains_nothing(command, fails, tmp_path, kind, more, said):
    assert said in fails(*command(kind, *more))
    assert not list((tmp_path / "out").glob("points/*"))


def test_a_folder_of_the_other_experiment_is_refused(command, fails):
    assert run(command("data-budget", "--relations", "0", "--statements", "0")) == 0
    assert "holds points of data_budget, not of label_noise" in fails(*command("label-noise", "--held-out", "2"))
