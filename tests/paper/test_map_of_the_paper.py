"""PAPER.md maps equations, methods and experiments to files: every file and test that it names exists."""

import re
from pathlib import Path

from protorel.training import recipe_names
from protorel_paper.recipes import RECIPES

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "PAPER.md").read_text(encoding="utf-8")
FOLDERS = ("", "src", "src/protorel", "src/protorel_paper/figures")


def test_every_file_that_the_page_names_exists():
    named = set(re.findall(r"`([\w/]+(?:\.py|/))`", TEXT)) | set(re.findall(r"`((?:tests|evaluation)/[\w/]+)`", TEXT))
    assert len(named) > 40
    assert [name for name in named if not any((ROOT / folder / name).exists() for folder in FOLDERS)] == []


def test_every_recipe_that_the_page_names_exists():
    rows = TEXT.partition("## Methods")[2].partition("\n## ")[0]
    named = [name for row in rows.splitlines() for name in re.findall(r"`(\w+)`", row.rstrip("| ").rpartition("|")[2])]
    assert len(named) > 15
    assert set(named) <= set(recipe_names(also_in=RECIPES))
