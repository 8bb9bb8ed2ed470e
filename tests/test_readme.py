"""The README tells the truth: its commands and its Python run as they stand."""

import json
import subprocess
import sys

import pytest

from protorel.cli import run


@pytest.fixture
def readme(page):
    return page("README.md")


def test_every_command_and_the_python_example_run_as_they_stand(readme, tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")  # a narrow table breaks names into lines
    assert len(readme.run_commands()) >= 3
    assert json.loads((tmp_path / "mine.json").read_text())["way"] == 5
    printed = capfd.readouterr().out
    for shown in ("place of birth", "educated at", "employer"):
        assert shown in printed
        assert shown in readme.text
    use, own = readme.blocks("python")
    subprocess.run([sys.executable, "-c", use], check=True)
    triple, ranked = capfd.readouterr().out.strip().splitlines()
    assert triple.startswith("Marie Curie | place of birth | Warsaw (0.")
    assert ranked.startswith("(('taught_by', 0.")
    subprocess.run([sys.executable, "-W", "error", "-c", own], check=True)
    assert capfd.readouterr().out.strip() in ("born_in", "lives_in", "founded", "leads", "capital_of", "wrote")


def test_the_json_line_is_a_statement_that_converts(readme, tmp_path):
    (block,) = readme.blocks("json")
    (tmp_path / "line.jsonl").write_text(block, encoding="utf-8")
    arguments = ["convert", str(tmp_path / "line.jsonl"), "--format", "jsonl", "--out", str(tmp_path / "x.parquet")]
    assert run(arguments) == 0


def test_every_local_link_leads_somewhere(readme):
    assert readme.lost_links() == []
