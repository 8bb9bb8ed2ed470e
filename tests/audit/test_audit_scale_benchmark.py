"""The benchmark of the audit's memory runs, and its stored figures meet the goal and the page."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
STORED = json.loads((ROOT / "results/audit/scale.json").read_text())


def test_the_stored_audit_of_100_000_statements_and_700_relations_took_less_than_the_memory_allowed():
    largest = STORED["rows"][-1]
    assert (largest["statements"], largest["relations"]) == (100_000, 700)
    assert largest["megabytes"] < 1500
    assert STORED["ratio"] == largest["megabytes"] * 1e6 / STORED["settings"]["allowed_bytes"] < 1


def test_the_page_shows_the_stored_figures():
    page = (ROOT / "results/README.md").read_text(encoding="utf-8")
    for row in STORED["rows"]:
        stages = row["stages"]["seconds"]
        named = ("encode_statements", "cross_fit", "neighbour_agreement", "duplicate_conflicts", "wording_confidence")
        cells = [f"{stages[name]:.0f}" for name in named]
        shown = f"| {row['statements']:,} | {row['megabytes']:,} MB | {row['seconds']:,.0f} s | {' | '.join(cells)} |"
        assert shown in page, shown


def test_made_up_statements_have_a_long_tail_and_one_wrong_label_in_five():
    made_up = runpy.run_path(str(ROOT / "benchmarks" / "audit_scale.py"))["made_up"]
    statements = list(made_up(3000, 100, seed=0))
    counts = Counter(one.relation for one in statements)
    assert len(counts) == 100
    assert counts.most_common(1)[0][1] > 10 * min(counts.values())
    assert 0.75 < sum(one.expresses for one in statements) / 3000 < 0.85
    assert statements == list(made_up(3000, 100, seed=0))
    assert all(one.head_text.istitle() and one.tail_text.istitle() for one in statements)


def test_the_benchmark_runs_and_writes(tmp_path):
    out = tmp_path / "found.json"
    options = ["--statements", "60", "120", "--relations", "5", "--json", str(out)]
    command = [sys.executable, str(ROOT / "benchmarks" / "audit_scale.py"), *options]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    found = json.loads(out.read_text())
    assert [row["statements"] for row in found["rows"]] == [60, 120]
    assert found["rows"][0]["stages"]["seconds"].keys() == STORED["rows"][0]["stages"]["seconds"].keys()
    assert found["ratio"] > 0
    assert "120 statements" in done.stdout
