"""The benchmark of pretraining without suspicious labels runs, goes on where it was stopped, and pairs by seed."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARK = ROOT / "benchmarks" / "audit_pays.py"


def test_it_trains_three_arms_and_does_not_train_again_what_is_there(tmp_path):
    out = tmp_path / "found.json"
    options = ["--noise", "0.3", "--statements", "25", "--episodes", "10", "--settings", "encoder=cnn", "steps=1"]
    command = [sys.executable, str(BENCHMARK), *options, "--json", str(out)]
    about = {"check": True, "capture_output": True, "env": {**os.environ, "PROTOREL_CACHE": str(tmp_path)}}
    subprocess.run([*command, "--seeds", "1"], **about)
    first = json.loads(out.read_text())
    assert set(first["noise"]["0.3"]["means"]) == {"all", "kept", "random"}
    kept, others = (first["runs"]["noise 0.3, seed 0"][arm] for arm in ("kept", "random"))
    assert kept["statements"] == others["statements"] < 550
    assert kept["wrong"] < others["wrong"]
    first["runs"]["noise 0.3, seed 0"]["all"]["auroc"] = -1.0  # a mark: it stays if nothing is trained again
    out.write_text(json.dumps(first))
    subprocess.run([*command, "--seeds", "2"], **about)
    second = json.loads(out.read_text())
    assert second["runs"]["noise 0.3, seed 0"]["all"]["auroc"] == -1.0
    assert second["noise"]["0.3"]["differences"]["kept - all"]["auroc"]["count"] == 2


def test_differences_are_paired_by_seed():
    def run(kept: float, everything: float) -> dict[str, dict[str, float]]:
        figures = ("new_relations", "new_phrasings", "auroc")
        return {arm: dict.fromkeys(figures, one) for arm, one in (("all", everything), ("kept", kept), ("random", 0.0))}

    table = runpy.run_path(str(BENCHMARK))["table"]([run(0.5, 0.4), run(0.9, 0.8), run(0.2, 0.1)])
    found = table["differences"]["kept - all"]["new_relations"]
    assert found["value"] == pytest.approx(0.1)
    assert found["margin"] == pytest.approx(0, abs=1e-9)


def test_the_page_of_results_shows_the_stored_differences():
    page = (ROOT / "results/README.md").read_text(encoding="utf-8").split("<!-- pays -->")[1].split("<!-- /pays -->")[0]
    shown = [[cell.strip() for cell in line.split("|")[-5:-1]] for line in page.strip().splitlines()[2:]]
    stored = json.loads((ROOT / "results/audit/pays.json").read_text())["noise"]
    assert shown == [
        [
            f"{100 * one['value']:+.1f} ± {100 * one['margin']:.1f}"
            for figure in ("new_relations", "new_phrasings")
            for one in (row["differences"][f"kept - {other}"][figure] for other in ("all", "random"))
        ]
        for row in stored.values()
    ]
