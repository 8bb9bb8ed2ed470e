"""The README tells the truth and stays short. Its blocks are run by test_pages.py."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from protorel.cli.commands import app

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| \[.*\]\((results/fewrel/\w+)\) \| 22\.7 M \| [^|]+ \| (.*) \|$", TEXT, flags=re.MULTILINE)
SETTINGS = ("5w1s", "5w5s", "10w1s", "10w5s")


def test_it_is_read_in_a_few_minutes():
    prose = re.sub(r"^(```.*?^```|\|.*?)$", "", TEXT, flags=re.MULTILINE | re.DOTALL)
    assert len(prose.split()) < 700
    [block, *_] = re.findall(r"^```python\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) <= 20


@pytest.mark.parametrize(("folder", "shown"), ROWS)
def test_its_figures_are_those_of_the_files(folder, shown):
    found = [json.loads((ROOT / folder / f"{name}.json").read_text(encoding="utf-8")) for name in SETTINGS]
    assert [f"{100 * one['accuracy']:.1f}" for one in found] == shown.split(" | ")
    assert all(100 * one["margin"] < 0.45 for one in found)
    assert all(one["leakage"]["checked"] for one in found if "untrained" not in folder)


def test_its_table_of_results_is_short():
    assert 3 <= len(ROWS) <= 8


def test_every_command_is_named():
    names = {one.name or one.callback.__name__ for one in app.registered_commands if not one.hidden}
    names |= {group.name or group.typer_instance.info.name for group in app.registered_groups}
    assert {"extract", "evaluate", "relations"} <= names
    for name in names:
        assert f"`{name}`" in TEXT


def test_every_extra_is_named():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for name in extras.keys() - {"docs", "release", "released"}:
        assert f"`{name}`" in TEXT


def test_its_picture_shows_the_triples_of_the_quickstart_example():
    picture = ElementTree.parse(ROOT / "docs/pictures/extraction.svg")
    words = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}text")]
    for expected in ("place of birth", "spouse", "award received", "winner", "Marie Curie"):
        assert expected in words
