"""The benchmark of the share of wrong labels runs, its stored figures meet the goal, and the page shows them."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
STORED = json.loads((ROOT / "results/audit/wrong_share.json").read_text())


def test_the_page_shows_the_stored_figures():
    page = (ROOT / "docs/concepts/wrong_share.md").read_text(encoding="utf-8")
    shown = re.findall(
        r"^\| (\d+) % \| ([^|]+) \| ([\d.]+) \| ([\d.]+) % \(([\d.]+) to ([\d.]+)\) \| ([\d.]+) \|$", page, re.M
    )
    expected = []
    for row in STORED["rows"]:
        name = row["scores"] if row["distortion"] == "as they are" else f"{row['scores']}, {row['distortion']}"
        percent = [f"{100 * row[key]:.1f}" for key in ("coverage", "coverage_low", "coverage_high")]
        expected.append(
            (f"{100 * row['wrong']:.0f}", name, f"{row['auroc']:.2f}", *percent, f"{row['width_ratio']:.2f}")
        )
    assert shown == expected
    shown = re.findall(r"^\| (\d+) % \| (\d+) % \| ([\d.]+) % \| (\d+) points \|$", page, re.MULTILINE)
    assert shown == [
        (
            *(f"{100 * row[key]:.0f}" for key in ("wrong", "estimated")),
            f"{100 * row['coverage']:.1f}",
            f"{100 * row['width']:.0f}",
        )
        for row in STORED["relations"]
    ]


@pytest.mark.parametrize("row", STORED["relations"], ids=lambda row: f"{row['wrong']}")
def test_stored_intervals_of_relations_cover_at_least_as_often_as_they_say(row):
    assert row["coverage"] >= 0.95


@pytest.mark.parametrize("row", STORED["rows"], ids=lambda row: f"{row['wrong']}-{row['scores']}-{row['distortion']}")
def test_no_stored_coverage_is_below_93_percent_and_none_is_far_above_97(row):
    assert 0.93 <= row["coverage"] <= 0.98
    assert row["width_ratio"] < 1.05
    assert abs(row["bias"]) < 0.003


def test_the_stored_figures_are_of_a_thousand_judgings_of_150_statements():
    assert (STORED["settings"]["times"], STORED["settings"]["size"]) == (1000, 150)


def test_simulated_scores_have_the_auroc_that_they_are_named_after():
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / "wrong_share.py"))
    wrong = np.arange(4000) % 4 == 0
    scores = benchmark["simulated"](wrong, 0.9)
    assert benchmark["auroc"](scores, wrong) == pytest.approx(0.9, abs=0.01)
    assert scores.mean() == pytest.approx(0.75, abs=0.01)  # calibrated


def test_the_benchmark_runs_and_writes(tmp_path):
    out = tmp_path / "found.json"
    options = ["--times", "3", "--statements", "10", "--size", "40", "--json", str(out)]
    command = [sys.executable, str(ROOT / "benchmarks" / "wrong_share.py"), *options]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PROTOREL_CACHE": str(tmp_path)})
    found = json.loads(out.read_text())
    assert len(found["rows"]) == len(STORED["rows"])
    assert found["ratio"] > 0
