"""All three tables on the small world, whole; killed in the middle, and gone on with."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace

import pytest

from protorel.evaluation import FuzzyRedSettings, evaluate_classification, evaluate_few_shot, evaluate_fuzzyred
from protorel.fewshot import METHODS, SetFit, SetFitSettings
from protorel.statements import BadInput
from protorel_paper.engine.results import ResultFolder
from protorel_paper.engine.runner import Audience
from protorel_paper.tables.budget import budget_named
from protorel_paper.tables.cells import cells_of
from protorel_paper.tables.few_shot_cells import table1_plans
from protorel_paper.tables.order import TABLES
from protorel_paper.tables.reproduce import reproduce_table
from protorel_paper.tables.sources import Described, SmallWorldData
from protorel_paper.tables.trainings import Trainings

RUN = """
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from protorel_paper.tables.reproduce import reproduce_table
reproduce_table("table1", Path(sys.argv[1]), budget="smoke", rows=["bert_em", "linear_probe"])
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_made_whole_with_one_training_for_all_tables(name, out):
    trained = []
    summary, progress = reproduce_table(name, out, budget="smoke", audience=Audience(trained=trained.append))
    table = TABLES[name]
    assert (progress.elsewhere, progress.failed, progress.notes) == ((), (), ())
    for row in summary.rows:
        assert set(row.figures) == set(table.columns), row.row.name
        assert all(0 <= figure.ours.value <= 1 for figure in row.figures.values())
    assert {path.name for path in out.glob(f"{name}.*")} == {f"{name}.{kind}" for kind in ("json", "md", "png", "svg")}
    names = [run.name for run in trained]
    assert len(set(names)) == len(names)
    if name != "table1":
        assert not [run for run in names if run in ("mtb-seed0", "ind-seed0", "col_final-seed0")]
    assert reproduce_table(name, out, budget="smoke")[1].made == 0


def test_cells_say_that_runs_were_kept_apart_and_judged_by_one_exam(out):
    cells = [json.loads(path.read_text()) for path in (out / "cells" / "table1").glob("*-5w1s-seed0.json")]
    assert len(cells) == len(TABLES["table1"].rows)
    assert all(cell["leakage"]["checked"] for cell in cells if cell["runs"])
    assert len({json.dumps(cell["settings"]["judged_by"]) for cell in cells}) == 1
    assert all(cell["settings"]["judged"]["seed"] == 0 for cell in cells)


def cell(out, name):
    return json.loads((out / "cells" / f"{name}.json").read_text())


def test_a_cell_says_what_the_evaluate_commands_say_of_its_run(out):
    data, runs = SmallWorldData(), out / "runs"
    few_shot = evaluate_few_shot(str(runs / "gnn-tuned-seed0"), data.open("fewrel_val"), way=10, shot=5, episodes=20)
    found = cell(out, "table1/gnn-10w5s-seed0")
    assert found["figures"]["10w5s"]["value"] == few_shot.as_json["accuracy"]
    assert found["per_relation"] == few_shot.as_json["per_relation"]

    fuzzyred = evaluate_fuzzyred(
        str(runs / "col_final-seed0"), data.open("fuzzyred"), FuzzyRedSettings(draws=5)
    ).as_json
    found = cell(out, "table2/col_final-fuzzyred-seed0")
    shots = {name.split()[0]: figure["value"] for name, figure in found["figures"].items()}
    assert shots == {shot: figures["accuracy"] for shot, figures in fuzzyred["shots"].items()}
    assert cell(out, "table2/ds-fuzzyred-seed0")["figures"]["1 shot"]["value"] == fuzzyred["baselines"]["accept_all"]

    classified = evaluate_classification(
        str(runs / "mtb-semeval-seed0"), data.open("semeval_test"), scorer="semeval"
    ).as_json
    found = cell(out, "table3/mtb-semeval-seed0")["figures"]
    macro = classified["official"]["macro"]
    assert [found[name]["value"] for name in ("P", "R", "F1")] == pytest.approx(
        [macro[name] for name in ("precision", "recall", "f1")]
    )
    assert found["F1"]["margin"] == classified["margin"]


def test_a_slow_method_is_judged_by_the_first_episodes(tmp_path):
    trainings = Trainings(tmp_path, budget_named("cpu"), Described(SmallWorldData()))
    plans = table1_plans(trainings, TABLES["table1"].chosen(["mlman", "gnn", "bert_pair", "setfit"]), [3])
    assert [plan.settings["judged"]["episodes"] for plan in plans] == [10_000] * 4 + [1_000] * 4 + [100] * 8
    assert [plan.name for plan in plans[:2]] == ["gnn-5w1s-seed3", "gnn-5w5s-seed3"]
    assert plans[0].settings["judged"]["method"] == "gnn"


def test_rows_that_the_paper_has_not_are_made_where_they_are_named(tmp_path):
    summary, progress = reproduce_table("table1", tmp_path, budget="smoke", rows=["bert_pair", "snail", "siamese"])
    assert (progress.made, progress.failed) == (12, ())
    made = [row.row.name for row in summary.rows if row.figures]
    assert made == [row.row.name for row in summary.rows[-3:]] == ["siamese", "snail", "bert_pair"]
    assert cell(tmp_path, "table1/snail-10w5s-seed0")["settings"]["judged"]["method"] == "snail"
    pairs = cell(tmp_path, "table1/bert_pair-10w5s-seed0")
    assert (pairs["settings"]["judged"]["method"], pairs["run"]["encoder"]["kind"]) == ("pair", "transformer")
    assert pairs["settings"]["runs"][0]["start"] == {"encoder": "tiny"}


def test_an_encoder_that_is_tuned_in_each_episode_has_a_row_that_says_how(tmp_path, monkeypatch):
    trainings = Trainings(tmp_path, replace(budget_named("smoke"), episodes=2), Described(SmallWorldData()))
    first, *_ = table1_plans(trainings, TABLES["table1"].chosen(["setfit"]), [0])
    assert (first.name, first.stages) == ("setfit-5w1s-seed0", ())
    assert first.settings["judged"]["tuning"] == asdict(METHODS["setfit"].load().settings)
    found = first.make(tmp_path, None)
    told = evaluate_few_shot(
        trainings.encoder(), SmallWorldData().open("fewrel_val"), way=5, episodes=2, method="setfit"
    ).as_json
    assert found["figures"]["5w1s"]["value"] == told["accuracy"]
    monkeypatch.setitem(METHODS, "setfit", replace(METHODS["setfit"], code=SetFit(SetFitSettings(pairs=1))))
    other, *_ = table1_plans(trainings, TABLES["table1"].chosen(["setfit", "linear_probe"]), [0])
    assert "tuning" not in other.settings["judged"]
    folder = ResultFolder(tmp_path, cells_of("table1"))
    folder.write(first.name, {**first.identity, **found, "settings": first.settings})
    with pytest.raises(BadInput, match="tuning"):
        folder.check(table1_plans(trainings, TABLES["table1"].chosen(["setfit"]), [0]))


def test_a_kill_loses_no_finished_cell(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", RUN, str(tmp_path)])
    cells = tmp_path / "cells" / "table1"
    deadline = time.monotonic() + 300
    while not list(cells.glob("*.json")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {path.name: path.read_bytes() for path in cells.glob("*.json")}
    assert 1 <= len(before) < 8
    _, progress = reproduce_table("table1", tmp_path, budget="smoke", rows=["bert_em", "linear_probe"])
    assert progress.made == 8 - len(before)
    assert {name: (cells / name).read_bytes() for name in before} == before
    assert not list((tmp_path / "work").glob("*.lock"))


def test_what_is_wanted_of_the_data_is_said_before_any_work(tmp_path):
    with pytest.raises(BadInput, match="budget cpu uses the real benchmark files; name their folder by --data"):
        reproduce_table("table1", tmp_path / "a", budget="cpu")
    with pytest.raises(BadInput, match="budget smoke uses the embedded small world, leave --data out"):
        reproduce_table("table1", tmp_path / "a", budget="smoke", data=tmp_path)
    with pytest.raises(BadInput, match=r"expected a folder with fewrel, .*; no such folder"):
        reproduce_table("table1", tmp_path / "a", budget="paper", data=tmp_path / "none")
    assert not (tmp_path / "a").exists()
