"""The benchmark of the share of wrong labels runs, its stored figures hold, and the page shows them."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.statements import Statement

ROOT = Path(__file__).parents[2]
STORED = json.loads((ROOT / "results/audit/wrong_share.json").read_text())
AUDITED = [row for row in STORED["rows"] if (row["scores"], row["distortion"]) == ("audit", "as they are")]


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
def test_stored_estimates_are_unbiased_and_never_much_wider_than_plain_ones(row):
    assert abs(row["bias"]) < 0.003
    assert row["width_ratio"] < 1.05
    if row["scores"] != "audit" or row["distortion"] == "random":
        assert 0.93 <= row["coverage"] <= 0.97


@pytest.mark.parametrize("row", AUDITED, ids=lambda row: f"{row['wrong']}")
def test_with_stored_scores_of_an_audit_the_interval_covers_and_is_much_narrower_than_a_plain_one(row):
    assert row["coverage_high"] >= 0.93
    assert row["width_ratio"] <= STORED["ratio"] <= 0.7


def test_the_text_of_the_page_has_the_stored_figures():
    page = (ROOT / "docs/concepts/wrong_share.md").read_text(encoding="utf-8")
    below = sum(row["coverage"] < 0.93 for row in STORED["rows"])
    above = sum(row["coverage"] > 0.97 for row in STORED["rows"])
    assert f"Of {len(STORED['rows'])} rows, {below} are below 93 % and {above} above 97 %" in page
    estimates = [f"{100 * row['audit_estimate']:.1f}" for row in AUDITED]
    assert f"{estimates[0]}, {estimates[1]} and {estimates[2]} % instead of 10, 30 and 50 %" in page
    ratios = sorted(row["width_ratio"] for row in AUDITED)
    assert f"is {ratios[0]:.2f} to {ratios[-1]:.2f} times as wide" in page


def test_scores_of_the_audit_are_in_the_order_of_the_data_and_neither_training_nor_audit_knows_the_truth(monkeypatch):
    scores_of = runpy.run_path(str(ROOT / "benchmarks" / "wrong_share.py"))["audit_scores"]
    statements = build_small_world(SmallWorldSettings(statements_per_relation=10)).train
    seen: list[Statement] = []

    def audited(run: Path, data: list[Statement], **_: object) -> SimpleNamespace:
        seen.extend(data)
        rows = np.arange(len(data))[::-1]  # the last statement is the worst
        return SimpleNamespace(table=pa.table({"row": rows}), scores=np.linspace(0, 1, len(data)))

    monkeypatch.setitem(scores_of.__globals__, "pretrain", lambda data, *_: seen.extend(data))
    monkeypatch.setitem(scores_of.__globals__, "audit_labels", audited)
    found = scores_of(statements, [], 0)
    assert np.all(np.diff(found) < 0)
    assert [one.id for one in seen] == 2 * [one.id for one in statements]
    assert {one.expresses for one in seen} == {None}


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
    options = ["--times", "3", "--statements", "10", "--size", "40", "--settings", "encoder=cnn", "steps=1"]
    command = [sys.executable, str(ROOT / "benchmarks" / "wrong_share.py"), *options, "--json", str(out)]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PROTOREL_CACHE": str(tmp_path)})
    found = json.loads(out.read_text())
    assert len(found["rows"]) == len(STORED["rows"])
    assert found["ratio"] > 0
