from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.statements import (
    BadInput,
    Span,
    Statement,
    count_statements,
    fingerprint,
    iter_statements,
    read_origin,
    read_rows,
    read_statements,
)
from protorel.statements import write_statements as write
from protorel.statements.storage import SCHEMA

BORN = Statement("Ada Kroll was born in Lunsk.", Span(0, 9), Span(22, 27), "born_in", "s1", "Q1", "Q2", source="made")
MANY = [dataclasses.replace(BORN, id=f"s{i}", expresses=[True, False, None][i % 3]) for i in range(25)]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
maybe = st.none() | texts


@st.composite
def statements(draw: st.DrawFn) -> Statement:
    before, head, between, tail, after = (draw(texts) for _ in range(5))
    head, tail = f"{head}H", f"T{tail}"
    text = before + head + between + tail + after
    head_span = Span(len(before), len(before) + len(head))
    tail_start = head_span.stop + len(between)
    relation = draw(st.none() | texts.filter(str.strip))
    return Statement(
        text, head_span, Span(tail_start, tail_start + len(tail)), relation, draw(texts),
        *(draw(maybe) for _ in range(5)), draw(texts), draw(st.none() | st.booleans()),
    )  # fmt: skip


@settings(max_examples=40)
@given(st.lists(statements(), max_size=8), st.integers(1, 5), st.integers(1, 5))
def test_what_is_written_is_read_back_the_same(rows, rows_per_group, rows_at_a_time):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        assert write(rows, path, rows_per_group=rows_per_group) == len(rows)
        again = list(iter_statements(path, rows_at_a_time=rows_at_a_time))
    assert again == rows
    assert fingerprint(again) == fingerprint(rows)


@settings(max_examples=40)
@given(st.lists(statements(), min_size=1, max_size=12), st.integers(1, 5), st.data())
def test_some_rows_are_those_of_the_whole_file(rows, rows_per_group, data):
    asked = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=6))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write(rows, path, rows_per_group=rows_per_group)
        assert count_statements(path) == len(rows)
        found = read_rows(path, asked)
        with pytest.raises(BadInput, match=f"expected more than {len(rows)} statements, got {len(rows)}"):
            read_rows(path, [*asked, len(rows)])
    assert found == {row: rows[row] for row in asked}


def test_only_the_row_groups_that_are_asked_for_are_read(tmp_path, monkeypatch):
    write(MANY, tmp_path / "a.parquet", rows_per_group=4)
    groups, read = [], pq.ParquetFile.read_row_group
    monkeypatch.setattr(
        pq.ParquetFile, "read_row_group", lambda file, group, **more: groups.append(group) or read(file, group, **more)
    )
    assert read_rows(tmp_path / "a.parquet", [23, 5, 4]) == {row: MANY[row] for row in (4, 5, 23)}
    assert groups == [1, 5]


def test_what_is_said_of_the_origin_is_asked_after_the_last_row_and_read_back(tmp_path):
    seen = []
    rows = (seen.append(row.id) or row for row in MANY)
    write(rows, tmp_path / "a.parquet", rows_per_group=4, origin=lambda: {"rows": len(seen), "wörds": None})
    assert read_origin(tmp_path / "a.parquet") == {"rows": 25, "wörds": None}
    assert read_statements(tmp_path / "a.parquet") == MANY
    write(MANY, tmp_path / "b.parquet")
    assert read_origin(tmp_path / "b.parquet") is None
    with pytest.raises(BadInput, match=r"c\.parquet: its metadata cannot be read"):
        read_origin(tmp_path / "c.parquet")


def test_a_folder_of_parts_is_one_data_set_in_the_order_of_names(tmp_path):
    write(MANY[10:], tmp_path / "part-1.parquet", rows_per_group=4)
    write(MANY[:10], tmp_path / "part-0.parquet")
    assert read_statements(tmp_path) == MANY


def test_the_fingerprint_does_not_depend_on_how_rows_are_stored(tmp_path):
    write(MANY, tmp_path / "whole.parquet", rows_per_group=3)
    (tmp_path / "parts").mkdir()
    write(MANY[:7], tmp_path / "parts" / "a.parquet")
    write(MANY[7:], tmp_path / "parts" / "b.parquet")
    whole = fingerprint(iter_statements(tmp_path / "whole.parquet"))
    assert whole == fingerprint(iter_statements(tmp_path / "parts", rows_at_a_time=2)) == fingerprint(MANY)


@pytest.mark.parametrize(
    "changes", [{"text": BORN.text + " "}, {"relation": None}, {"expresses": True}, {"head": Span(0, 3)}, {"id": ""}]
)
def test_the_fingerprint_changes_with_every_field(changes):
    assert fingerprint([BORN]) != fingerprint([dataclasses.replace(BORN, **changes)])


def test_the_fingerprint_changes_with_the_order():
    assert fingerprint(MANY) != fingerprint(MANY[::-1])


@pytest.mark.parametrize("kept", [0, 1, 4, 100, -1, -8, -100])
def test_a_truncated_file_is_refused_in_one_line_that_names_it(tmp_path, kept):
    path = tmp_path / "cut.parquet"
    write(MANY, path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(BadInput, match=r"cut\.parquet") as problem:
        read_statements(path)
    assert "\n" not in str(problem.value)


def test_another_format_version_is_refused_with_both_versions(tmp_path):
    table = pa.Table.from_pylist([], schema=SCHEMA).replace_schema_metadata({"protorel.statements.version": "9"})
    pq.write_table(table, tmp_path / "new.parquet")
    with pytest.raises(BadInput, match=r"new\.parquet: .* format version 1, got 9"):
        read_statements(tmp_path / "new.parquet")


def test_a_parquet_file_of_something_else_is_refused_with_the_missing_column(tmp_path):
    pq.write_table(pa.table({"sentence": ["a"]}), tmp_path / "other.parquet")
    with pytest.raises(BadInput, match="expected a column 'text', got "):
        read_statements(tmp_path / "other.parquet")


def test_a_column_of_the_wrong_type_is_refused(tmp_path):
    path = tmp_path / "typed.parquet"
    write(MANY, path)
    table = pq.read_table(path)
    at = table.schema.get_field_index("expresses")
    pq.write_table(table.set_column(at, "expresses", pa.array(["yes"] * len(MANY))), path)
    with pytest.raises(BadInput, match="column 'expresses': expected type bool, got string"):
        read_statements(path)


@pytest.mark.parametrize("column", ["text", "head_start", "document"])
def test_a_column_that_stands_twice_is_refused(tmp_path, column):
    write([BORN], tmp_path / "a.parquet")
    table = pq.read_table(tmp_path / "a.parquet")
    pq.write_table(table.append_column(column, table[column]), tmp_path / "a.parquet")
    with pytest.raises(BadInput, match=rf"a\.parquet: expected each column once, got '{column}' 2 times$"):
        read_statements(tmp_path / "a.parquet")


@pytest.mark.parametrize("origin", ["[" * 10**5, "[1]", "NaN", '{"a": ' + "9" * 5000 + "}", "\xff", "{"])
def test_an_origin_that_was_altered_is_refused_in_one_line(tmp_path, origin):
    write([BORN], tmp_path / "a.parquet")
    table = pq.read_table(tmp_path / "a.parquet")
    marked = table.replace_schema_metadata({b"protorel.statements.origin": origin.encode("latin-1")})
    pq.write_table(marked, tmp_path / "a.parquet")
    with pytest.raises(BadInput, match=r"a\.parquet: its metadata cannot be read") as refused:
        read_origin(tmp_path / "a.parquet")
    assert len(str(refused.value)) < len(str(tmp_path)) + 300


def test_a_row_that_is_no_statement_is_refused_with_its_number(tmp_path):
    rows = [{"text": "Ada", "head_start": 0, "head_stop": 1, "tail_start": 1, "tail_stop": stop} for stop in (2, 9)]
    wanted = pa.schema([SCHEMA.field(name) for name in rows[0]])
    pq.write_table(pa.Table.from_pylist(rows, schema=wanted), tmp_path / "rows.parquet")
    with pytest.raises(BadInput, match=r"rows\.parquet: row 1: tail: \[1, 9\) lies outside the text"):
        read_statements(tmp_path / "rows.parquet")


@pytest.mark.parametrize("column", ["text", "head_start", "id", "source"])
def test_a_null_where_a_value_must_stand_is_refused_with_its_row(tmp_path, column):
    path = tmp_path / "nulls.parquet"
    write(MANY, path)
    rows = pq.read_table(path).to_pylist()
    rows[3][column] = None
    loose = pa.schema([field.with_nullable(True) for field in SCHEMA])
    pq.write_table(pa.Table.from_pylist(rows, schema=loose), path)
    with pytest.raises(BadInput, match=r"nulls\.parquet: row 3"):
        read_statements(path)


def test_columns_that_may_be_absent_may_be_absent(tmp_path):
    rows = [{"text": "Ada Kroll", "head_start": 0, "head_stop": 3, "tail_start": 4, "tail_stop": 9}]
    wanted = pa.schema([SCHEMA.field(name) for name in rows[0]])
    pq.write_table(pa.Table.from_pylist(rows, schema=wanted), tmp_path / "rows.parquet")
    assert read_statements(tmp_path / "rows.parquet") == [Statement("Ada Kroll", Span(0, 3), Span(4, 9))]


def test_an_empty_folder_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(BadInput, match=r"expected a folder with \.parquet files, got none"):
        read_statements(tmp_path)
    with pytest.raises(BadInput, match="no such file or folder"):
        read_statements(tmp_path / "missing.parquet")


def test_half_a_character_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(BadInput, match=r"lone surrogate \(U\+D800\)"):
        write([dataclasses.replace(BORN, text=BORN.text + "\ud800")], tmp_path / "half.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    path = tmp_path / "rows.parquet"
    write(MANY, path)
    before = path.read_bytes()

    def broken():
        yield from MANY
        raise RuntimeError("the source broke off")

    with pytest.raises(RuntimeError, match="broke off"):
        write(broken(), path, rows_per_group=5)
    assert path.read_bytes() == before
    assert names_in(tmp_path) == ["rows.parquet"]


def test_reading_is_lazy(tmp_path):
    write(MANY, tmp_path / "rows.parquet")
    assert next(iter_statements(tmp_path / "rows.parquet", rows_at_a_time=1)) == MANY[0]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
