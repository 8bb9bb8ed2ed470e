"""`protorel-paper figures`: from nothing, from runs and points that are there, and bad input in one line."""

import json

import pytest
import yaml

from protorel.corpora.small_world import SmallWorldSettings
from protorel_paper.cli import figures as figures_command
from protorel_paper.cli import run
from protorel_paper.figures import smoke_figures

KINDS = ("png", "svg", "json", "md")


@pytest.fixture
def quick(monkeypatch, tiny_encoder_folder):
    """Smoke trainings made tiny."""
    monkeypatch.setattr(smoke_figures, "GRID", ((0, 4), (0, 3)))
    encoder = (f"encoder={tiny_encoder_folder}", "relations_per_batch=6", "max_length=64", "steps=2")
    monkeypatch.setattr(
        smoke_figures, "SETTINGS", SmallWorldSettings(statements_per_relation=8, held_out_per_relation=4)
    )
    monkeypatch.setattr(smoke_figures, "PRETRAINING", encoder)
    monkeypatch.setattr(smoke_figures, "TUNING", ("epochs=1", "max_length=64"))
    monkeypatch.setattr(smoke_figures, "BUDGET", encoder)
    monkeypatch.setattr(smoke_figures, "EPISODES", 20)


def figures(folder):
    return {path.name for path in folder.iterdir()}


def test_all_figures_come_from_nothing(quick, tmp_path, capsys):
    out = tmp_path / "figures"
    assert run(["figures", "--budget", "smoke", "--out", str(out)]) == 0
    assert figures(out) == {f"figure{n}.{kind}" for n in range(1, 7) for kind in KINDS} | {"figures.md"}
    said = capsys.readouterr().out
    assert "small world: pretraining" in said
    assert "figure6 written" in said
    captions = (out / "figures.md").read_text()
    assert [line[:11] for line in captions.splitlines() if line.startswith("# ")] == [
        f"# Figure {n}:" for n in range(1, 7)
    ]
    assert json.loads((out / "figure1.json").read_text())["data"]["name"] == "small world, training"
    assert str(tmp_path) not in "".join(path.read_text() for path in out.glob("*.json"))


def test_figures_of_a_run_leave_out_what_nothing_was_named_for(finished_run, data, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(figures_command._FIGURE6_DRAWS, "cpu", 5)
    named = tmp_path / "names.yaml"
    named.write_text(yaml.safe_dump({"born_in": "birthplace $1$"}))
    arguments = ["--model", finished_run, "--data", data, "--descriptions", named, "--width", "4", "--seed", "5"]
    assert run(["figures", "--out", str(tmp_path / "out"), *map(str, arguments)]) == 0
    assert figures(tmp_path / "out") == {f"figure{n}.{kind}" for n in (1, 2, 6) for kind in KINDS} | {"figures.md"}
    noted = capsys.readouterr().err
    assert "note: no figure3: it needs the folder that `protorel-paper data-budget` wrote" in noted
    assert "note: no figure5: it needs a tuned run and the test statements" in noted
    told = json.loads((tmp_path / "out" / "figure1.json").read_text())
    assert (told["seed"], told["run"]["name"], told["data"]["name"]) == (5, "tiny", "train.parquet")
    assert "birthplace" in (tmp_path / "out" / "figure1.svg").read_text()


def test_a_tuned_run_alone_gives_figure_5(finished_run, data, tmp_path, capsys):
    out = tmp_path / "one"
    arguments = ["--semeval-model", finished_run, "--semeval-data", data, "--out", out]
    assert run(["figure5", *map(str, arguments)]) == 0
    assert figures(out) == {f"figure5.{kind}" for kind in KINDS}
    assert "176 statements of 22 classes" in " ".join(capsys.readouterr().out.split())


def test_bad_input_is_one_line_and_draws_nothing(fails, finished_run, data, tmp_path):
    out = tmp_path / "out"
    assert "figure2 needs a run and its statements: --model RUN --data FILE" in fails("figure2", "--out", out)
    assert "figure4 needs the folder" in fails("figure4", "--out", out, "--model", finished_run)
    assert "nothing to draw: expected a run" in fails("figures", "--out", out)
    given = fails("figure1", "--out", out, "--budget", "smoke", "--data", data)
    assert "--budget smoke draws small world and takes no run and no data" in given
    assert "found no points" in fails("figure3", "--out", out, "--points", tmp_path)
    assert "no such" in fails("figure1", "--out", out, "--model", finished_run, "--data", tmp_path / "no")
    assert run(["figure1", "--out", str(out), "--width", "1"]) == 2
    assert not out.exists()
