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


def test_the_costs_of_all_stages_are_measured(tmp_path):
    (tmp_path / "dump.xml").write_text(
        "<mediawiki><siteinfo><sitename>Wikipedia</sitename><namespaces><namespace key='0' case='first-letter' />"
        "</namespaces></siteinfo><page><title>Ada Kroll</title><ns>0</ns><id>1</id><revision><id>2</id>"
        "<text>Ada Kroll was born in Lunsk. She left.</text></revision></page></mediawiki>"
    )
    (tmp_path / "facts.tsv").write_text("E1\tborn_in\tE2\n")
    (tmp_path / "names.tsv").write_text("E1\tAda Kroll\nE2\tLunsk\n")
    given = ["--text", "dump.xml", "--facts", "facts.tsv", "--aliases", "names.tsv", "--json", "found.json"]
    command = [sys.executable, str(BENCHMARKS / "harvest_stages.py"), *given]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["ratio"] > 0
    assert found["counts"] == {"facts": 1, "names": 2, "pages": 1, "characters of wikitext": 38, "sentences": 2}
