"""Every JSON format against every wrong value at every level of a good row."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.corpora import (
    Reject,
    read_docred,
    read_docred_evidence,
    read_docred_pairs,
    read_fewrel,
    read_opennre,
    read_rebel,
    read_wikigender,
    read_zerorte,
)
from protorel.corpora.rows import MAX_LINE, Row
from protorel.statements import BadInput, Statement, write_statements

TOKENS = ["Ada", "Kroll", "of", "Lunsk", "."]
FORM = {"uri": "Q1", "boundaries": [0, 9], "surfaceform": "Ada Kroll"}
FEWREL = {"P19": [{"tokens": TOKENS, "h": ["ada kroll", "Q1", [[0, 1]]], "t": ["lunsk", "Q2", [[3]]]}]}
OPENNRE = {
    "token": TOKENS,
    "h": {"name": "Ada Kroll", "id": "Q1", "pos": [0, 2]},
    "t": {"name": "Lunsk", "pos": [3, 4]},
}
DOCRED = [
    {
        "title": "Ada",
        "sents": [TOKENS],
        "vertexSet": [[{"sent_id": 0, "pos": [0, 2], "type": "PER"}], [{"sent_id": 0, "pos": [3, 4], "type": "LOC"}]],
        "labels": [{"h": 0, "t": 1, "r": "P19", "evidence": [0]}],
    }
]
REBEL = {
    "title": "Ada",
    "text": "Ada Kroll of Lunsk",
    "triples": [
        {
            "subject": FORM,
            "predicate": {"uri": "P19"},
            "object": {"uri": "1^^x#decimal", "boundaries": [13, 18], "surfaceform": "Lunsk"},
        }
    ],
}
ZERORTE = {"triplets": [{"tokens": TOKENS, "head": [0, 1], "tail": [3], "label": "residence", "label_id": "P551"}]}
WIKIGENDER = {
    "train": [
        {
            "entity1": "Ada Kroll",
            "relations": [
                {
                    "relation_name": "spouse",
                    "sentences": ["Ada Kroll of Lunsk"],
                    "positions": [{"entity1": [0, 10], "entity2": [13, 18]}],
                }
            ],
        }
    ]
}
WHOLE = {
    "fewrel": (read_fewrel, FEWREL),
    "docred": (read_docred, DOCRED),
    "docred_evidence": (read_docred_evidence, DOCRED),
    "docred_pairs": (read_docred_pairs, DOCRED),
    "wikigender": (read_wikigender, WIKIGENDER),
}
LINES = {"opennre": (read_opennre, OPENNRE), "rebel": (read_rebel, REBEL), "zerorte": (read_zerorte, ZERORTE)}
ALL = WHOLE | LINES

WRONG = [None, True, 0, -1, 3.5, 10**40, 2**31, "", "x", "\ud800", [], [[]], [None], [-1, -1], [0, 99], {}, {"h": 1}]


def places_in(value: object, above: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    yield above
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in inside:
        yield from places_in(inner, (*above, name))


def replaced(value: object, place: tuple[object, ...], by: object) -> object:
    if not place:
        return by
    whole = copy.deepcopy(value)
    at = whole
    for name in place[:-1]:
        at = at[name]
    at[place[-1]] = by
    return whole


def rows_of(read: object, path: Path, content: str | bytes) -> list[Row]:
    path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    return list(read(path))


def rows_or_problem(read: object, path: Path, content: str) -> list[Row] | str:
    try:
        return rows_of(read, path, content)
    except BadInput as problem:
        return str(problem)


def check(rows: list[Row], folder: Path) -> None:
    statements = [row for row in rows if isinstance(row, Statement)]
    write_statements(statements, folder / "taken.parquet")
    for row in rows:
        if isinstance(row, Reject):
            assert row.field is not None
            assert "\n" not in row.reason
            assert len(json.loads(row.as_json().encode())["content"]) <= 500


@pytest.mark.parametrize("name", ALL)
def test_the_good_row_is_a_statement(tmp_path, name):
    read, good = ALL[name]
    row, *others = rows_of(read, tmp_path / "x", json.dumps(good))
    # As pairs, two entities are read in both orders.
    assert len(others) == (name == "docred_pairs")
    assert (row.head_text, row.tail_text) == ("Ada Kroll", "Lunsk")


@pytest.mark.parametrize("name", ALL)
def test_a_wrong_value_at_any_level_is_a_reject_or_one_line_of_bad_input(tmp_path, name):
    read, good = ALL[name]
    taken: list[Row] = []
    for place in places_in(good):
        for wrong in WRONG:
            rows = rows_or_problem(read, tmp_path / "x", json.dumps(replaced(good, place, wrong)))
            if isinstance(rows, str):
                assert (place, name in WHOLE, "\n" in rows) == ((), True, False)
                continue
            # An empty list or object where rows are held is a file without rows, and no error.
            assert rows or wrong in ([], {}), (place, wrong)
            taken += rows
    check(taken, tmp_path)
    assert any(isinstance(row, Statement) for row in taken)


@pytest.mark.parametrize("name", ALL)
def test_a_missing_name_at_any_level_never_crashes(tmp_path, name):
    read, good = ALL[name]
    for place in places_in(good):
        if place and isinstance(place[-1], str) and len(place) > 1:
            less = copy.deepcopy(good)
            at = less
            for step in place[:-1]:
                at = at[step]
            del at[place[-1]]
            rows = rows_of(read, tmp_path / "x", json.dumps(less))
            assert 1 <= len(rows) <= 1 + (name == "docred_pairs")
            check(rows, tmp_path)


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "is not valid JSON"),
        (b'{"h": NaN}', "has NaN, which is not valid JSON"),
        (b'{"h": 1, "h": 2}', "names 'h' twice"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"\xff{}", "is not UTF-8"),
        (b'{"h": ' + b"9" * 5000 + b"}", "integer"),
        (b'{"text": "' + b"x" * MAX_LINE + b'"}', f"is longer than {MAX_LINE} bytes"),
    ],
    ids=lambda value: str(value)[:12],
)
def test_a_bad_line_is_one_reject_and_the_next_is_read(tmp_path, name, line, reason):
    read, good = LINES[name]
    bad, last = rows_of(read, tmp_path / "x", line + b"\r\n\n" + json.dumps(good).encode())
    assert isinstance(last, Statement)
    assert (bad.line, bad.field, reason in bad.reason) == (1, "line", True)


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is not valid JSON"),
        (b"{", "is not valid JSON"),
        (b'{"a": NaN}', "has NaN"),
        (b'{"a": [], "a": []}', "names 'a' twice"),
        (b"[" * 200_000, "is nested too deeply"),
        (b"\xff{}", "is not UTF-8"),
        (b"3", ", got the number 3"),
    ],
    ids=lambda value: str(value)[:12],
)
def test_a_file_that_cannot_be_read_is_bad_input_with_its_path(tmp_path, name, content, reason):
    read, _ = WHOLE[name]
    with pytest.raises(BadInput) as problem:
        rows_of(read, tmp_path / "x.json", content)
    assert str(problem.value).startswith(f"{tmp_path / 'x.json'}: ")
    assert reason in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("name", WHOLE)
def test_a_file_cut_anywhere_is_bad_input(tmp_path, name):
    read, good = WHOLE[name]
    whole = json.dumps(good)
    for kept in range(len(whole)):
        with pytest.raises(BadInput):
            rows_of(read, tmp_path / "x", whole[:kept])


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=60)
@given(data=st.data())
def test_arbitrary_changes_never_crash(tmp_path_factory, name, data):
    read, value = ALL[name]
    for _ in range(data.draw(st.integers(1, 3))):
        value = replaced(value, data.draw(st.sampled_from(list(places_in(value))[1:] or [()])), data.draw(anything))
    folder = tmp_path_factory.mktemp("hostile")
    rows = rows_or_problem(read, folder / "x", json.dumps(value, ensure_ascii=data.draw(st.booleans())))
    if isinstance(rows, str):
        assert (name in WHOLE, "\n" in rows) == (True, False)
    else:
        check(rows, folder)
