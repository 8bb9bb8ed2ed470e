"""The pages on your own table and on formats: their error messages, rows and counts are real."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest

from protorel.cli import run
from protorel.corpora import FORMATS, convert, read_rows
from protorel.statements import Statement, read_origin, read_statements

DOCS = Path(__file__).parents[1] / "docs"
TABLE = (DOCS / "tasks/train_on_your_table.md").read_text(encoding="utf-8")
FILES = re.findall(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```", TABLE, flags=re.MULTILINE | re.DOTALL)
TEXT = (DOCS / "reference/formats.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\*\*`(\w+)`\*\*[^\n]*\n\n```\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL))
COUNTS = re.findall(r"^\| [^|]*`([^`|]+)` \| `(\w+)` \| (.*) \|$", TEXT, flags=re.MULTILINE)


@pytest.fixture
def how_to(page):
    return page("docs/tasks/train_on_your_table.md")


def test_the_line_of_jsonl_is_a_statement(how_to, tmp_path):
    (tmp_path / "line.jsonl").write_text(how_to.blocks("json")[0], encoding="utf-8")
    assert convert([tmp_path / "line.jsonl"], "jsonl", tmp_path / "line.parquet").rows_out == 1


def test_errors_look_as_they_are_shown(how_to, tmp_path, capfd):
    for name, content in FILES:
        (tmp_path / name).write_text(content, encoding="utf-8")
    for block in how_to.blocks("console"):
        for command, answer in re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", block, flags=re.MULTILINE):
            assert printed_by(command, capfd) == answer
    origin = read_origin("nested.parquet")
    assert origin is not None
    assert origin["allow_overlap"] is True


def printed_by(command: str, capfd) -> str:
    capfd.readouterr()
    program, *arguments = shlex.split(command)
    if program == "cat":
        return "".join(Path(name).read_text(encoding="utf-8") for name in arguments)
    assert program == "protorel"
    code = run(arguments)
    printed, problem = capfd.readouterr()
    assert code == (2 if problem else 0)
    return printed + problem


def test_every_format_is_shown():
    assert ROWS.keys() == FORMATS.keys()


@pytest.mark.parametrize("name", FORMATS)
def test_the_invented_rows_of_a_format_are_statements(tmp_path, name):
    source = tmp_path / "P19.made"
    source.write_text(ROWS[name].replace("␁", "\x01").replace("␂", "\x02"), encoding="utf-8")
    named = {0: "[PAD]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]"} | {id: f"[unused{id}]" for id in range(1, 6)}
    (tmp_path / "vocab.txt").write_text("\n".join(named.get(id, f"piece{id}") for id in range(28_996)))
    done = convert([source], name, tmp_path / "out.parquet")
    assert done.rows_in == done.rows_out == (2 if name in ("opennre", "docred_pairs") else 1)
    for statement in read_statements(tmp_path / "out.parquet"):
        assert statement.relation
        assert not statement.head.overlaps(statement.tail)


def test_every_local_link_leads_somewhere(how_to):
    assert how_to.lost_links() == []


def test_the_counts_add_up():
    assert len(COUNTS) == 14
    for _, _, numbers in COUNTS:
        rows, statements, rejected, _, _ = counted(numbers)
        assert rows == statements + rejected


@pytest.mark.parametrize(("file", "format", "numbers"), COUNTS, ids=[f"{format} {file}" for file, format, _ in COUNTS])
def test_the_public_files_give_what_the_table_says(real_data, file, format, numbers):
    if format == "released" and find_spec("blingfire") is None:
        pytest.skip("blingfire is not installed: it brings the cased vocabulary (pip install 'protorel[released]')")
    rows = list(read_rows([real_data / file], FORMATS[format]))
    taken = [row for row in rows if isinstance(row, Statement)]
    found = [len(rows), len(taken), len(rows) - len(taken), len({row.relation for row in taken})]
    found.append(sum(row.overlapping for row in taken))
    assert found == counted(numbers)


def counted(numbers: str) -> list[int]:
    return [int(number.replace(",", "")) for number in numbers.split(" | ")]
