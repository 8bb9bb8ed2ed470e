"""`protorel patterns`: wordings to read on a terminal, and all of them in a file."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from protorel.cli import run
from protorel.statements import Span, Statement, write_statements


def said(head, phrase, tail, relation, **more):
    start = len(head) + len(phrase) + 2
    return Statement(f"{head} {phrase} {tail}", Span(0, len(head)), Span(start, start + len(tail)), relation, **more)


BORN = [said(name, "was born in", place, "born_in", head_type="person") for name, place in
        (("Ada", "Lunsk"), ("Bo", "Oster"), ("Cy", "Mere"), ("Di \x1b[31m", "[red]Tarn"))]  # fmt: skip
DIED = [said(name, "died near", place, "died_in") for name, place in (("Ed", "Lunsk"), ("Flo", "Mere"))]


@pytest.fixture
def towns(tmp_path):
    write_statements([*BORN, *DIED], tmp_path / "towns.parquet")
    return tmp_path / "towns.parquet"


def call(*arguments):
    return run(["patterns", *(str(argument) for argument in arguments)])


def test_patterns_are_printed_with_counts_and_examples(towns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert call(towns, "--relation", "born_in") == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "1.00  HEAD:person was born in TAIL",
        "      4 statements of 4 pairs",
        "      [Ada] was born in [Lunsk]",
        "      [Bo] was born in [Oster]",
        "",
        "born_in: 1 patterns, which match 4 of its 4 statements",
    ]


@pytest.mark.parametrize("columns", [30, 200])
def test_no_line_is_wider_than_the_terminal_but_the_last(towns, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert call(towns, "--relation", "died_in", "--top", 1) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert all(len(line.rstrip()) <= columns for line in lines)
    assert last == "died_in: 1 patterns, which match 2 of its 2 statements"


def test_names_can_neither_steer_a_terminal_nor_be_taken_for_style(tmp_path, capsys):
    write_statements([BORN[3], said("Di \x1b[31m", "was born in", "[red]Oster", "born_in")], tmp_path / "d.parquet")
    assert call(tmp_path / "d.parquet", "--relation", "born_in") == 0
    write_statements([BORN[3], said("Ed \x1b[31m", "was born in", "[red]Oster", "born_in", head_type="person")],
                     tmp_path / "d.parquet")  # fmt: skip
    assert call(tmp_path / "d.parquet", "--relation", "born_in") == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "[Di \\x1b[31m] was born in [[red]Tarn]" in out


def test_all_relations_go_to_a_file(towns, tmp_path, capsys):
    assert call(towns, "--all", "--json", tmp_path / "all.json", "--top", 3) == 0
    told = json.loads((tmp_path / "all.json").read_text())
    assert [each["relation"] for each in told["relations"]] == ["born_in", "died_in"]
    assert told["relations"][1]["patterns"][0]["pattern"] == "HEAD died near TAIL"
    assert told["data"]["name"] == "towns.parquet"
    assert f"2 patterns of 2 relations are in {tmp_path / 'all.json'}" in capsys.readouterr().out.replace("\n", "")


def test_bad_requests_are_one_line(fails, towns, tmp_path):
    assert "did you mean 'born_in'?" in fails("patterns", towns, "--relation", "born-in")
    assert "expected one relation by --relation" in fails("patterns", towns)
    assert "expected one relation by --relation" in fails("patterns", towns, "--relation", "born_in", "--all")
    assert "--all: expected --json FILE with it, got none" in fails("patterns", towns, "--all")
    assert "no such file" in fails("patterns", tmp_path / "none.parquet", "--relation", "born_in").lower()
    write_statements([Statement("Ada met Bo.", Span(0, 3), Span(8, 10))], tmp_path / "bare.parquet")
    assert "expected labelled statements" in fails("patterns", tmp_path / "bare.parquet", "--relation", "met")


def test_a_relation_without_patterns_is_told_so(tmp_path, capsys):
    write_statements([said("Ada", "sang for", "Bo", "sang_for")], tmp_path / "one.parquet")
    assert call(tmp_path / "one.parquet", "--relation", "sang_for") == 0
    assert capsys.readouterr().out == "sang_for: 0 patterns, which match 0 of its 1 statements\n"


def test_patterns_need_no_torch():
    loaded = "import sys, protorel.cli.patterns, protorel.patterns.reading; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0
