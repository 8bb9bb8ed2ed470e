"""The README tells the truth: its commands and its Python run as they stand."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from protorel.cli import run
from protorel.training import recipe_names

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def test_every_command_and_the_python_example_run_as_they_stand(tmp_path, monkeypatch, capfd):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    lines = [line for block in _blocks("sh") for line in block.splitlines() if line.strip()]
    assert len(lines) >= 3
    for line in lines:
        program, *arguments = shlex.split(line, comments=True)
        assert program == "protorel"
        assert run(arguments) == 0, line
    assert json.loads((tmp_path / "mine.json").read_text())["way"] == 5
    capfd.readouterr()
    (example,) = _blocks("python")
    subprocess.run([sys.executable, "-W", "error", "-c", example], check=True)
    assert capfd.readouterr().out.strip() in ("born_in", "lives_in", "founded", "leads", "capital_of", "wrote")


def test_the_json_line_is_a_statement_that_converts(tmp_path):
    (block,) = _blocks("json")
    (tmp_path / "line.jsonl").write_text(block, encoding="utf-8")
    arguments = ["convert", str(tmp_path / "line.jsonl"), "--format", "jsonl", "--out", str(tmp_path / "x.parquet")]
    assert run(arguments) == 0


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_is_named(name):
    assert f"`{name}`" in README


def test_every_local_link_leads_somewhere():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
