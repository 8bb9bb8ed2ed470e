from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from protorel.cli.convert import convert as command
from protorel.corpora import FORMATS, Conversion, convert
from protorel.statements import BadInput, read_origin, read_statements

GOOD = '{"text": "Ada Kroll was born in Lunsk.", "head": [0, 9], "tail": [22, 27], "relation": "born_in"}\n'
BAD = '{"text": "Ada Kroll", "head": [0, 3]}\n'
NESTED = '{"text": "Soichiro Honda founded Honda.", "head": [0, 14], "tail": [9, 14], "relation": "founded"}\n'


def source(folder: Path, content: str, name: str = "mine.jsonl") -> Path:
    path = folder / name
    path.write_text(content)
    return path


def run(*arguments: object) -> str:
    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_rows_in_are_rows_out_and_rejects(tmp_path):
    out = tmp_path / "out" / "mine.parquet"
    done = convert([source(tmp_path, GOOD + BAD + GOOD)], "jsonl", out)
    rejects = out.with_name("mine.rejects.jsonl")
    assert done == Conversion(rows_in=3, rows_out=2, rows_rejected=1, rejects_path=rejects)
    assert [row.id for row in read_statements(out)] == ["mine:1", "mine:3"]
    assert [json.loads(line) for line in rejects.read_text().splitlines()] == [
        {"file": "mine.jsonl", "line": 2, "field": "tail", "reason": "is missing", "content": BAD.strip()}
    ]


def test_without_rejects_there_is_no_rejects_file_and_a_stale_one_goes(tmp_path):
    out = tmp_path / "out" / "mine.parquet"
    convert([source(tmp_path, GOOD + BAD)], "jsonl", out)
    assert names_in(out.parent) == ["mine.parquet", "mine.rejects.jsonl"]
    assert convert([source(tmp_path, GOOD)], "jsonl", out).rejects_path is None
    assert names_in(out.parent) == ["mine.parquet"]


def test_several_sources_become_one_file_in_their_order(tmp_path):
    sources = [source(tmp_path, GOOD * count, name) for name, count in (("b.jsonl", 2), ("a.jsonl", 1))]
    convert(sources, "jsonl", tmp_path / "all.parquet")
    assert [row.id for row in read_statements(tmp_path / "all.parquet")] == ["b:1", "b:2", "a:1"]


def test_when_nothing_can_be_read_the_first_reason_is_told_and_the_rejects_are_kept(tmp_path):
    out = tmp_path / "out" / "mine.parquet"
    with pytest.raises(BadInput) as problem:
        convert([source(tmp_path, "\n" + BAD * 3)], "jsonl", out)
    assert str(problem.value) == (
        f"{tmp_path / 'mine.jsonl'}: none of the 3 rows read is a statement; "
        "first reason: mine.jsonl, line 2: tail: is missing"
    )
    assert names_in(out.parent) == ["mine.rejects.jsonl"]
    assert len((out.parent / "mine.rejects.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_an_empty_file_and_a_missing_file_are_bad_input_in_every_format(tmp_path, format):
    with pytest.raises(BadInput, match=r"empty: expected a file of format .*, got an empty file"):
        convert([source(tmp_path, "", "empty")], format, tmp_path / "out.parquet")
    with pytest.raises(BadInput, match=r"missing: no such file or folder"):
        convert([tmp_path / "missing"], format, tmp_path / "out.parquet")
    assert names_in(tmp_path) == ["empty"]


@pytest.mark.parametrize(("format", "content"), [("fewrel", "{}"), ("semeval", "\n\n"), ("jsonl", " \n")])
def test_a_file_without_rows_is_bad_input(tmp_path, format, content):
    with pytest.raises(BadInput, match="expected one row or more, got none"):
        convert([source(tmp_path, content, "none")], format, tmp_path / "out.parquet")
    assert names_in(tmp_path) == ["none"]


def test_a_source_that_breaks_off_leaves_the_old_files_as_they_were(tmp_path):
    out = tmp_path / "out" / "val.parquet"
    instance = {"tokens": ["a", "b"], "h": ["a", "", [[0]]], "t": ["b", "", [[1]]]}
    whole = source(tmp_path, json.dumps({"P1": [instance, None]}), "whole.json")
    convert([whole], "fewrel", out)
    before = {path.name: path.read_bytes() for path in out.parent.iterdir()}
    assert len(before) == 2
    with pytest.raises(BadInput, match=r"cut\.json: is not valid JSON"):
        convert([whole, source(tmp_path, '{"P1": [', "cut.json")], "fewrel", out)
    assert {path.name: path.read_bytes() for path in out.parent.iterdir()} == before


def test_bad_arguments_are_bad_input(tmp_path):
    mine, out = source(tmp_path, GOOD), tmp_path / "out.parquet"
    with pytest.raises(
        BadInput, match=r"format: expected one of fewrel, sem.*, got 'fewrell'\. Did you mean 'fewrel'\?"
    ):
        convert([mine], "fewrell", out)
    with pytest.raises(BadInput, match=r"out\.json: expected a name that ends in \.parquet"):
        convert([mine], "jsonl", tmp_path / "out.json")
    with pytest.raises(BadInput, match="expected a file of format jsonl, got a folder"):
        convert([tmp_path], "jsonl", out)
    with pytest.raises(BadInput, match="expected each source once, got it twice"):
        convert([mine, tmp_path / "." / "mine.jsonl"], "jsonl", out)
    with pytest.raises(BadInput, match="expected one source file or more, got none"):
        convert([], "jsonl", out)


def test_a_source_is_never_overwritten_by_its_own_rejects(tmp_path):
    mine = source(tmp_path, GOOD, "mine.rejects.jsonl")
    with pytest.raises(BadInput, match="would be overwritten"):
        convert([mine], "jsonl", tmp_path / "mine.parquet")
    assert mine.read_text() == GOOD


def test_the_command_prints_the_three_counts_in_one_line(tmp_path):
    out = tmp_path / "val.parquet"
    printed = run(source(tmp_path, GOOD + BAD), "--format", "jsonl", "--out", out)
    assert printed == "2 rows read = 1 statements written to val.parquet + 1 rejected (val.rejects.jsonl)\n"
    printed = run(source(tmp_path, GOOD), "--format", "jsonl", "--out", out, "--force")
    assert printed == "1 rows read = 1 statements written to val.parquet + 0 rejected\n"


def test_overlapping_rows_of_a_user_s_file_are_rejected_or_kept_counted_and_recorded(tmp_path):
    mine, out = source(tmp_path, GOOD + NESTED), tmp_path / "mine.parquet"
    assert run(mine, "--format", "jsonl", "--out", out) == (
        "2 rows read = 1 statements written to mine.parquet + 1 rejected (mine.rejects.jsonl)\n"
    )
    counts = {"statements": 1, "rejected": 1, "overlapping": 0}
    assert read_origin(out) == {"format": "jsonl", "allow_overlap": False, **counts}
    [reject] = map(json.loads, (tmp_path / "mine.rejects.jsonl").read_text().splitlines())
    assert (reject["line"], reject["reason"]) == (
        2,
        "head and tail overlap ('Soichiro Honda' [0, 14), 'Honda' [9, 14)); "
        "to keep such rows, convert the file with --allow-overlap",
    )

    assert run(mine, "--format", "jsonl", "--out", out, "--allow-overlap", "--force") == (
        "2 rows read = 2 statements written to mine.parquet + 0 rejected; 1 with overlapping entities\n"
    )
    counts = {"statements": 2, "rejected": 0, "overlapping": 1}
    assert read_origin(out) == {"format": "jsonl", "allow_overlap": True, **counts}
    assert [statement.overlapping for statement in read_statements(out)] == [False, True]


def test_overlapping_rows_of_a_published_format_are_kept_and_counted(tmp_path):
    instance = {"tokens": ["Soichiro", "Honda", "Ltd"], "h": ["soichiro honda", "", [[0, 1]]]}
    rows = [{**instance, "t": ["honda", "", [[1]]]}, {**instance, "t": ["ltd", "", [[2]]]}]
    done = convert([source(tmp_path, json.dumps({"P1": rows}), "val.json")], "fewrel", tmp_path / "val.parquet")
    assert done == Conversion(rows_in=2, rows_out=2, rows_rejected=0, rejects_path=None, overlapping=1)
    assert read_origin(tmp_path / "val.parquet")["overlapping"] == 1


@pytest.mark.parametrize(
    ("format", "folder", "rows"),
    [("fewrel", "fewrel/val_wiki.json", 11_200), ("semeval", "semeval2010/TEST_FILE_FULL.TXT", 2717)],
)
def test_real_files_are_converted_whole(real_data, tmp_path, format, folder, rows):
    done = convert([real_data / folder], format, tmp_path / "out.parquet")
    assert (done.rows_in, done.rows_out, done.rows_rejected) == (rows, rows, 0)
    assert len(read_statements(tmp_path / "out.parquet")) == rows


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
