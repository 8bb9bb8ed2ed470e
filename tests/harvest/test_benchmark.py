"""The benchmarks of the harvest run: what they measure is in results/, that they go on working is checked here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("harvest.py", ["--names", "200", "--sentences", "60", "--triples", "2000"]),
        ("harvest_truth.py", ["--statements", "6"]),
    ],
)
def test_a_benchmark_measures_and_writes_its_headline(name, options, tmp_path):
    out = tmp_path / "found.json"
    command = [sys.executable, str(BENCHMARKS / name), *options, "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())
    assert found["ratio"] > 0
    assert {"task", "data", "machine", "versions"} <= found.keys()
    if name == "harvest.py":
        assert found["gazetteer"]["searched"]["mentions"] > 0
        assert found["phrase_matcher"]["mentions"] > 0
        assert [join["triples"] for join in found["joins"]] == [2000]
    else:
        assert all(row["statements"]["recall"] == 1 for row in found["rows"].values())
