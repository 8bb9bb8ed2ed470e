"""Every figure in the README stands in a file under results/, to the digit."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = ("5w1s", "5w5s", "10w1s", "10w5s")
ROWS = re.findall(r"^\|[^|]*\]\((results/fewrel/\w+)\)[^|]*\|(.*)\|$", README, flags=re.MULTILINE)


def test_the_table_has_its_rows():
    assert {Path(folder).name for folder, _ in ROWS} >= {
        "untrained_start",
        "untrained_mean",
        "col_final",
        "col_softmax",
    }


@pytest.mark.parametrize(("folder", "cells"), ROWS, ids=[Path(folder).name for folder, _ in ROWS])
def test_a_row_is_what_its_files_say(folder, cells):
    results = [json.loads((ROOT / folder / f"{setting}.json").read_text()) for setting in SETTINGS]
    expected = [f"{100 * result['accuracy']:.1f} ± {100 * result['margin']:.1f}" for result in results]
    expected.append(f"± {100 * results[0]['over_relations']['margin']:.1f}")
    assert [cell.strip().strip("*") for cell in cells.split("|")] == expected


@pytest.mark.parametrize(
    "path", sorted((ROOT / "results").rglob("*.json")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_a_result_tells_how_it_was_made_and_names_no_path(path):
    result = json.loads(path.read_text())
    assert {"task", "data", "machine", "versions"} <= result.keys()
    assert not re.search(r'"(/|[A-Z]:\\\\)', path.read_text())


def test_the_validation_relations_were_never_trained_on():
    for folder, _ in ROWS:
        result = json.loads((ROOT / folder / "5w1s.json").read_text())
        trained_on = result["run"].get("relations") or []
        assert not set(trained_on) & set(result["per_relation"])
