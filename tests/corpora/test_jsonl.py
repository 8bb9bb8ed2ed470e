from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.corpora import Reject, read_jsonl
from protorel.corpora.rows import MAX_LINE
from protorel.statements import Span, Statement, write_statements
from protorel.statements.types import STATEMENT_FIELDS

IN_TEXT = {"text": "Ada Kroll was born in Lunsk.", "head": [0, 9], "tail": [22, 27], "relation": "born_in"}
IN_TOKENS = {"tokens": ["Ada", "Kroll", "was", "born", "in", "Lunsk", "."], "head": [0, 2], "tail": [5, 6]}


def rows_of(folder: Path, *lines: bytes | str | dict) -> list[Statement | Reject]:
    written = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
    content = b"\n".join(line.encode() if isinstance(line, str) else line for line in written)
    (folder / "mine.jsonl").write_bytes(content)
    return list(read_jsonl(folder / "mine.jsonl"))


def test_offsets_may_be_in_characters_or_in_tokens(tmp_path):
    in_text, in_tokens = rows_of(tmp_path, IN_TEXT, IN_TOKENS)
    assert in_text == Statement(IN_TEXT["text"], Span(0, 9), Span(22, 27), "born_in", "mine:1", source="mine")
    assert in_tokens.text == "Ada Kroll was born in Lunsk ."
    assert (in_tokens.head_text, in_tokens.tail_text, in_tokens.relation) == ("Ada Kroll", "Lunsk", None)
    assert in_tokens.id == "mine:2"


def test_every_other_field_of_a_statement_may_stand_there(tmp_path):
    rest = {name: f"my {name}" for name in STATEMENT_FIELDS if name not in ("text", "head", "tail", "expresses")}
    [row] = rows_of(tmp_path, IN_TEXT | rest | {"expresses": False})
    assert {name: getattr(row, name) for name in rest} == rest
    assert row.expresses is False


def test_null_is_the_same_as_absent_where_a_field_may_be_absent(tmp_path):
    [row] = rows_of(tmp_path, IN_TEXT | dict.fromkeys(STATEMENT_FIELDS[3:]))
    assert row == Statement(IN_TEXT["text"], Span(0, 9), Span(22, 27), id="mine:1", source="mine")


def test_lines_are_counted_with_the_blank_ones_and_marks_and_line_ends_do_not_matter(tmp_path):
    line = json.dumps(IN_TEXT).encode()
    rows = rows_of(tmp_path, b"\xef\xbb\xbf" + line + b"\r", b"", b" \t\r", line)
    assert [row.id for row in rows] == ["mine:1", "mine:4"]


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"text": 3}, "text", "expected text, got the number 3"),
        ({"text": None}, "text", "expected text, got null"),
        ({"text": "x" * 100_001}, "text", "expected at most 100000 characters, got 100001"),
        ({"text": "Ada \ud800 Kroll was born in Lunsk."}, "text", "has a lone surrogate (U+D800) at 4"),
        ({"id": "\udfff"}, "id", "has a lone surrogate (U+DFFF) at 0"),
        ({"id": 17}, "id", "expected text, got the number 17"),
        ({"head": [0, 99]}, "head", "[0, 99) lies outside the text, which has 28 characters"),
        ({"head": [9, 0]}, "head", "[9, 0) is empty"),
        ({"head": [-9, -1]}, "head", "[-9, -1) lies outside the text"),
        ({"head": [22, 27]}, "tail", "is the same span as the head"),
        ({"head": [0, 23]}, "tail", "head and tail overlap ('Ada Kroll was born in L' [0, 23), 'Lunsk' [22, 27)); to"),
        ({"head": [0]}, "head", "expected [start, stop), got a list of 1"),
        ({"head": {"start": 0}}, "head", "expected a list of whole numbers, got an object"),
        ({"head": [False, True]}, "head[0]", "expected a whole number, got false"),
        ({"head": [0, 9.0]}, "head[1]", "expected a whole number, got the number 9.0"),
        ({"head": [0, "9"]}, "head[1]", "expected a whole number, got the text '9'"),
        ({"head": [0, 10**100]}, "head[1]", "expected a place in a text, got a number of 333 bits"),
        ({"relation": ""}, "relation", "got an empty name"),
        ({"relation": ["born_in"]}, "relation", "expected text, got a list of 1"),
        ({"expresses": "yes"}, "expresses", "expected true, false or null, got the text 'yes'"),
        ({"expresses": 1}, "expresses", "expected true, false or null, got the number 1"),
        ({"relatoin": "born_in"}, "relatoin", "is not a field of a statement. Did you mean 'relation'?"),
        ({"zzz": 1}, "zzz", "is not a field of a statement. Known fields: text, head, tail"),
        ({"\ud800" * 2000: 1}, "\\ud800" * 16 + "\\ud…", "is not a field"),
        ({"tokens": ["a"]}, "text", "expected text or tokens, got both"),
    ],
)
def test_a_wrong_value_is_rejected_with_what_was_found_and_wanted(tmp_path, changes, field, reason):
    bad, good = rows_of(tmp_path, IN_TEXT | changes, IN_TEXT)
    assert isinstance(good, Statement)
    assert (bad.file, bad.line, bad.field) == ("mine.jsonl", 1, field)
    assert reason in bad.reason
    assert json.loads(bad.as_json().encode())["line"] == 1


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"tokens": "Ada"}, "tokens", "expected a list of texts, got the text 'Ada'"),
        ({"tokens": ["Ada", None]}, "tokens[1]", "expected text, got null"),
        ({"head": [0, 8]}, "head", "tokens [0, 8) lie outside the sentence, which has 7 tokens"),
        ({"tail": [3, 3]}, "tail", "tokens [3, 3) are empty"),
        ({"tokens": ["", "", "a", "b", "c", "d", "e"]}, "head", "covers white space only"),
    ],
)
def test_wrong_tokens_are_rejected(tmp_path, changes, field, reason):
    [bad] = rows_of(tmp_path, IN_TOKENS | changes)
    assert (bad.field, reason in bad.reason) == (field, True)


@pytest.mark.parametrize("missing", ["text", "head", "tail"])
def test_a_missing_field_is_named(tmp_path, missing):
    [bad] = rows_of(tmp_path, {name: value for name, value in IN_TEXT.items() if name != missing})
    assert bad.field == missing
    assert bad.reason == ("expected text or tokens, got neither" if missing == "text" else "is missing")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[1, 2]", "expected an object with text, head and tail, got a list of 2"),
        (b'"text"', "got the text 'text'"),
        (b"null", "got null"),
        (b"{", "is not valid JSON"),
        (b'{"text": NaN}', "has NaN, which is not valid JSON"),
        (b'{"text": -Infinity}', "has -Infinity"),
        (b'{"text": "a", "text": "b"}', "names 'text' twice"),
        (b"\xff\xfe{}", "is not UTF-8: byte 0xff at 0"),
        (b'{"text": "Lunsk\xc3"}', "is not UTF-8: byte 0xc3 at 15"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"a":' * 100_000, "is nested too deeply"),
        (b'{"head": ' + b"9" * 5_000 + b"}", "integer"),
        (b'{"text": "' + b"x" * MAX_LINE + b'"}', f"is longer than {MAX_LINE} bytes"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_bad_line_is_rejected_by_its_number_and_the_next_one_is_read(tmp_path, line, reason):
    good, bad, last = rows_of(tmp_path, IN_TEXT, line, IN_TEXT)
    assert (good.id, last.id) == ("mine:1", "mine:3")
    assert (bad.line, bad.field) == (2, "line")
    assert reason in bad.reason
    assert len(bad.content) <= 500


def test_a_truncated_last_line_is_one_reject(tmp_path):
    good, bad = rows_of(tmp_path, IN_TEXT, json.dumps(IN_TEXT)[:-20])
    assert isinstance(good, Statement)
    assert (bad.line, bad.field) == (2, "line")


@pytest.mark.parametrize("length", [MAX_LINE - 1, MAX_LINE, MAX_LINE + 1, MAX_LINE + 2, MAX_LINE + 3, 2 * MAX_LINE + 9])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_line_near_the_limit_is_one_row_however_it_ends(tmp_path, length, end):
    (tmp_path / "long.jsonl").write_bytes(b"x" * length + end + (json.dumps(IN_TEXT).encode() if end else b""))
    long, *rest = read_jsonl(tmp_path / "long.jsonl")
    assert ("is longer than" in long.reason) is (length > MAX_LINE)
    assert [row.id for row in rest] == (["long:2"] if end else [])


def test_reading_is_lazy(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text((json.dumps(IN_TEXT) + "\n") * 3)
    rows = read_jsonl(path)
    assert next(rows).id == "mine:1"
    rows.close()


def check_each_line_gives_one_row(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzz.jsonl"
        path.write_bytes(content)
        rows = list(read_jsonl(path))
        write_statements([row for row in rows if isinstance(row, Statement)], path.with_suffix(".parquet"))
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    assert len(rows) == sum(bool(line.strip()) for line in lines)
    assert all(isinstance(row, Statement) or json.loads(row.as_json().encode()) for row in rows)


@settings(max_examples=100)
@given(st.binary(max_size=200) | st.lists(st.sampled_from([b"{", b"}", b'"', b"\n", b"\\ud800", b"text", b":", b"\r"])))
def test_arbitrary_bytes_never_crash_and_each_line_gives_one_row(content):
    check_each_line_gives_one_row(content if isinstance(content, bytes) else b"".join(content))


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
offsets = st.lists(st.integers(-1, 12), min_size=2, max_size=2)
objects = st.fixed_dictionaries(
    {},
    optional={
        "text": st.text(max_size=12) | anything,
        "tokens": st.lists(st.text(max_size=4), max_size=5) | anything,
        "head": offsets | anything,
        "tail": offsets | anything,
        "relation": st.text() | anything,
        "expresses": st.booleans() | anything,
        "id": anything,
        "else": anything,
    },
)


@settings(max_examples=150)
@given(st.lists(objects | anything, max_size=4), st.booleans())
def test_arbitrary_json_never_crashes_and_each_line_gives_one_row(values, escaped):
    lines = [json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass") for value in values]
    check_each_line_gives_one_row(b"\n".join(lines))


@settings(max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=3, max_size=20), st.data())
def test_every_pair_of_spans_that_makes_a_statement_is_taken(text, data):
    starts = st.integers(0, len(text) - 1)
    head, tail = (
        (start, data.draw(st.integers(start + 1, len(text)))) for start in (data.draw(starts), data.draw(starts))
    )
    good = head != tail and text[slice(*head)].strip() and text[slice(*tail)].strip()
    apart = not set(range(*head)) & set(range(*tail))
    with tempfile.TemporaryDirectory() as folder:
        [row] = rows_of(Path(folder), {"text": text, "head": head, "tail": tail})
        [allowed] = read_jsonl(Path(folder) / "mine.jsonl", allow_overlap=True)
    assert isinstance(row, Statement if good and apart else Reject)
    assert isinstance(allowed, Statement if good else Reject)
    if good:
        assert (allowed.text, allowed.head, allowed.tail) == (text, Span(*head), Span(*tail))
    if not isinstance(row, Reject):
        assert row == allowed


@pytest.mark.parametrize(("head", "tail"), [([0, 14], [9, 14]), ([9, 14], [0, 14]), ([0, 14], [13, 22])])
def test_a_head_that_shares_a_character_with_its_tail_is_rejected_with_its_line_unless_allowed(tmp_path, head, tail):
    honda = {"text": "Soichiro Honda founded Honda.", "head": head, "tail": tail}
    good, bad = rows_of(tmp_path, honda | {"head": [0, 14], "tail": [23, 28]}, honda)
    assert isinstance(good, Statement)
    assert (bad.line, bad.field) == (2, "tail")
    assert bad.reason.startswith("head and tail overlap (")
    assert "--allow-overlap" in bad.reason
    kept = list(read_jsonl(tmp_path / "mine.jsonl", allow_overlap=True))
    assert [([s.head.start, s.head.stop], s.overlapping) for s in kept] == [([0, 14], False), (head, True)]


def test_an_entity_may_be_given_by_a_name_that_occurs_once(tmp_path):
    file = tmp_path / "mine.jsonl"
    rows = [
        {"text": "Ada Kroll was born in Lunsk.", "head": "Ada Kroll", "tail": [22, 27], "relation": "born_in"},
        {"text": "Ada met Ada in Lunsk.", "head": "Ada", "tail": "Lunsk"},
        {"text": "Ada met Bela.", "head": "Ada", "tail": "Cora"},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    good, twice, absent = read_jsonl(file)
    assert (good.head_text, good.tail_text) == ("Ada Kroll", "Lunsk")
    assert (twice.field, absent.field) == ("head", "tail")
    assert twice.reason.endswith("which occurs 2 times. Give its place as [start, stop].")
    assert absent.reason.endswith("got 'Cora', which does not occur")
