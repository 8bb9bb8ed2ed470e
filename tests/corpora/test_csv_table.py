from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.corpora import Reject, convert, read_csv
from protorel.corpora.rows import MAX_LINE
from protorel.statements import BadInput, Span, Statement, read_statements

HEADER = "text,head,tail,relation"
ADA = "Ada Kroll was born in Lunsk.,Ada Kroll,Lunsk,born_in"
OFFSETS = "text,head_start,head_stop,tail_start,tail_stop"


def rows_of(folder: Path, *lines: str | bytes, **options: bool) -> list[Statement | Reject]:
    (folder / "mine.csv").write_bytes(b"\n".join(line.encode() if isinstance(line, str) else line for line in lines))
    return list(read_csv(folder / "mine.csv", **options))


def test_head_and_tail_may_be_names_or_offsets(tmp_path):
    [named] = rows_of(tmp_path, HEADER, ADA)
    ada = Statement("Ada Kroll was born in Lunsk.", Span(0, 9), Span(22, 27), "born_in", "mine:2", source="mine")
    assert named == ada
    [placed] = rows_of(tmp_path, f"{OFFSETS},relation", "Ada Kroll was born in Lunsk.,0,9,22,27,born_in")
    assert placed == ada


def test_offsets_settle_a_name_that_occurs_twice(tmp_path):
    rows = rows_of(
        tmp_path, "text,head,tail,head_start,head_stop", "Bo saw Bo in Lunsk,Bo,Lunsk,7,9", "Bo in Lunsk,Bo,Lunsk,,"
    )
    assert [row.head for row in rows] == [Span(7, 9), Span(0, 2)]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_header_says_whether_tabs_or_commas_part_the_cells(tmp_path, end):
    content = end.join(["text\thead\ttail\trelation", "Ada, of Lunsk\tAda\tLunsk\tborn_in", ""])
    [row] = rows_of(tmp_path, "\ufeff" + content)
    assert (row.text, row.head_text, row.relation) == ("Ada, of Lunsk", "Ada", "born_in")


def test_quoted_cells_may_hold_separators_quotes_and_line_breaks(tmp_path):
    rows = rows_of(tmp_path, HEADER, '"""Ada, here"" is\n\nof Lunsk",Ada,Lunsk,', "", ADA)
    assert rows[0].text == '"Ada, here" is\n\nof Lunsk'
    assert (rows[0].relation, rows[0].id, rows[1].id) == (None, "mine:2", "mine:6")


def test_every_other_field_may_be_a_column_and_one_without_a_name_is_ignored(tmp_path):
    header = f",{HEADER},id,head_id,tail_id,head_type,tail_type,document,source,expresses"
    [row] = rows_of(tmp_path, header, f"0,{ADA},s1,Q1,Q2,PER,LOC,page,made,True")
    expected = Statement(
        "Ada Kroll was born in Lunsk.", Span(0, 9), Span(22, 27), "born_in", "s1", "Q1", "Q2", "PER", "LOC", "page",
        "made", True,
    )  # fmt: skip
    assert row == expected
    [row] = rows_of(tmp_path, f"{HEADER},expresses", f"{ADA},false")
    assert row.expresses is False


@pytest.mark.parametrize(
    ("header", "line", "field", "reason"),
    [
        (
            HEADER, "Anna saw Anna in Lunsk,Anna,Lunsk,x", "head",
            "expected a name that occurs once in the text, got 'Anna', which occurs 2 times. Give its place in the "
            "columns head_start and head_stop.",
        ),
        (HEADER, "Ada of Lunsk,Ada,Mere,x", "tail", "got 'Mere', which does not occur"),
        (HEADER, ",Ada,Mere,x", "text", "is missing"),
        (HEADER, "Ada of Lunsk,,Lunsk,x", "head", "is missing"),
        (HEADER, "Ada of Lunsk,Ada,Lunsk", "line", "expected 4 cells, got 3"),
        (HEADER, "Ada of Lunsk,Ada,Lunsk,x,y", "line", "expected 4 cells, got 5"),
        (HEADER, '"Ada" of Lunsk,Ada,Lunsk,x', "line", "is not valid CSV (',' expected after '\"')"),
        (HEADER, '"Ada of Lunsk,Ada,Lunsk,x', "line", "is not valid CSV (unexpected end of data)"),
        (HEADER, b"Ada \xff of Lunsk,Ada,Lunsk,x", "line", "is not UTF-8: byte 0xff at 4"),
        (HEADER, "x" * 131_073 + ",x,x,", "line", "is not valid CSV (field larger than field limit (131072))"),
        (HEADER, '"' + "Ada of Lunsk\n" * 80_000, "line", "is not valid CSV (field larger than field limit (131072))"),
        (HEADER, "x" * (MAX_LINE + 1), "line", f"is longer than {MAX_LINE} bytes"),
        (HEADER, "x" * 100_001 + ",x,x,", "head", "which occurs 100001 times"),
        (OFFSETS, "Ada of Lunsk,0,x,7,12", "head_stop", "expected a whole number, got 'x'"),
        (OFFSETS, "Ada of Lunsk,-1,3,7,12", "head_start", "expected a whole number, got '-1'"),
        (OFFSETS, "Ada of Lunsk,0,3,7,99", "tail", "[7, 99) lies outside the text, which has 12 characters"),
        (OFFSETS, "Ada of Lunsk,0,,7,12", "head", "expected a span (start, stop), got [0, None]"),
        (OFFSETS, "Ada Kroll,0,9,4,9", "tail", "head and tail overlap"),
        (f"{HEADER},expresses", f"{ADA},perhaps", "expresses", "expected true or false, got 'perhaps'"),
    ],
)  # fmt: skip
def test_a_bad_row_is_rejected_and_the_others_are_kept(tmp_path, header, line, field, reason):
    good = {HEADER: ADA, OFFSETS: "Ada of Lunsk,0,3,7,12"}.get(header, f"{ADA},")
    rows = rows_of(tmp_path, header, good, line)
    assert isinstance(rows[0], Statement)
    assert isinstance(rows[1], Reject)
    assert (rows[1].file, rows[1].line, rows[1].field) == ("mine.csv", 3, field)
    assert reason in rows[1].reason
    assert len(rows[1].content) <= 500


def test_a_row_is_read_after_a_bad_one(tmp_path):
    bad, good = rows_of(tmp_path, HEADER, '"Ada" of Lunsk,Ada,Lunsk,x', ADA)
    assert (bad.line, good.id) == (2, "mine:3")


def test_a_row_without_end_is_rejected_before_it_fills_the_memory(tmp_path):
    rows = rows_of(tmp_path, HEADER, '"' + '","\n' * 300_000)
    assert all(isinstance(row, Reject) for row in rows)
    assert f"is not valid CSV (the row has more than {MAX_LINE} characters)" in rows[0].reason


def test_overlap_is_kept_where_it_is_allowed(tmp_path):
    [row] = rows_of(tmp_path, HEADER, "Soichiro Honda,Soichiro Honda,Honda,x", allow_overlap=True)
    assert row.overlapping


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ("\n", "line 3: expected a column 'text', got none"),
        ("head,tail", "line 1: expected a column 'text', got head, tail"),
        ("text,head", r"line 1: expected a column 'tail' \(or tail_start and tail_stop\), got text, head"),
        ("text,head_start,tail", r"line 1: expected a column 'head' \(or head_start and head_stop\), got text, "),
        ("text,head,tail,head", "line 1: expected each column once, got 'head' 2 times"),
        ("text,head,tail,label", "line 1: label: expected one of text, head, .*, got 'label'. Rename it or"),
        ("text,heads,tail", "line 1: heads: expected a field of a statement, got 'heads'. Did you mean 'head'?"),
        ("text;head;tail", "line 1: text;head;tail: expected one of text, head"),
        ('"text"x,head,tail', r"line 1: is not valid CSV \(',' expected after '\"'\)"),
        (b"text,\xff", "line 1: is not UTF-8"),
    ],
)  # fmt: skip
def test_a_header_that_cannot_be_used_is_refused(tmp_path, header, problem):
    with pytest.raises(BadInput, match=rf"mine\.csv, {problem}"):
        rows_of(tmp_path, header, *([ADA] if header.strip() else ["\n"]))


def test_rejected_rows_are_counted_and_kept(tmp_path):
    (tmp_path / "people.csv").write_text(f"{HEADER}\n{ADA}\nBo saw Bo of Mere,Bo,Mere,x\n", encoding="utf-8")
    done = convert([tmp_path / "people.csv"], "csv", tmp_path / "people.parquet")
    assert (done.rows_in, done.rows_out, done.rows_rejected) == (2, 1, 1)
    assert [one.relation for one in read_statements(tmp_path / "people.parquet")] == ["born_in"]
    assert "which occurs 2 times" in (tmp_path / "people.rejects.jsonl").read_text(encoding="utf-8")


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00"), max_size=15)


@given(st.lists(st.tuples(cells, cells, cells.filter(str.strip)), max_size=4), st.sampled_from(",\t"))
def test_what_a_writer_of_csv_writes_is_read_back(rows, separator):
    written = io.StringIO()
    writer = csv.writer(written, delimiter=separator)
    writer.writerow([*OFFSETS.split(","), "relation"])
    for before, between, relation in rows:
        text = f"{before}H{between}T"
        writer.writerow([text, len(before), len(before) + 1, len(text) - 1, len(text), relation])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.csv"
        path.write_text(written.getvalue(), encoding="utf-8", newline="")
        read = list(read_csv(path))
    assert [(row.text, row.head_text, row.tail_text, row.relation) for row in read] == [
        (f"{before}H{between}T", "H", "T", relation) for before, between, relation in rows
    ]
