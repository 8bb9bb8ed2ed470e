"""The walks of docs/architecture.md and its picture name files that exist, and no folder outgrows a reader."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "protorel"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def found(line: str) -> list[bool]:
    """Return for each file that a line of a walk names whether it exists.

    A file may be named from the folder of the file before it, or from the room of that.
    """
    places = [SOURCE]
    exist = []
    for name in re.findall(r"[\w/]+\.(?:py|sql)\b", line):
        [path] = [place / name for place in places if (place / name).is_file()][:1] or [None]
        exist.append(path is not None)
        if path is not None:
            places = [SOURCE, path.parent, SOURCE / path.relative_to(SOURCE).parts[0]]
    return exist


def test_every_file_that_a_walk_passes_exists():
    lines = [line for line in PAGE.splitlines() if line.startswith("    ") and re.search(r"\.(py|sql)\b", line)]
    assert len(lines) > 20
    assert [line for line in lines if not all(found(line))] == []


def test_a_file_that_does_not_exist_is_noticed():
    assert found("    cli/pretrain.py → recipes/nosuch.py, reading.py") == [True, False, False]


def test_the_picture_is_as_drawn_and_its_rooms_and_files_are_those_of_the_page():
    drawing = runpy.run_path(str(ROOT / "docs/draw_architecture.py"))
    assert drawing["TARGET"].read_text(encoding="utf-8") == drawing["draw"]()
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = [layer for layer in contracts[0]["layers"] if layer != "threads"]
    assert [room for rooms in drawing["ROOMS"] for room in rooms.split(", ")] == layers
    assert [
        room for row in re.findall(r"^\| (`.*?`) \|", PAGE, flags=re.M)[: len(layers) - 1] for room in names(row)
    ] == layers
    for command, *_ in drawing["WALKS"]:
        assert f"`{command} " in PAGE
    for walk in drawing["WALKS"].values():
        for room, files in walk:
            assert all(found(f"{room}/{files}")), files
            assert [one for one in re.findall(r"\w+\.py", files) if one not in PAGE] == []


def names(row: str) -> list[str]:
    return re.findall(r"`(\w+)`", row)


def test_evaluation_has_no_folder_with_more_than_fifteen_files():
    for folder in [SOURCE / "evaluation", *(SOURCE / "evaluation").rglob("*/")]:
        assert len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) <= 15, folder
