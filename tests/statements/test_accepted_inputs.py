"""What people have becomes statements, or a sentence that says which row and field is wrong."""

from __future__ import annotations

import dataclasses
import importlib
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from protorel.statements import (
    BadInput,
    DataSet,
    Span,
    Statement,
    StatementError,
    as_data_set,
    as_statements,
    find_leakage,
    read_statements,
    write_statements,
)

TEXT = "Ada Kroll was born in Lunsk."
BORN = Statement(TEXT, Span(0, 9), Span(22, 27), "born_in", "s1", "Q1", "Q2", "PER", "LOC", "page", "made", True)
ROW = {**dataclasses.asdict(BORN), "head": "Ada Kroll", "tail": "Lunsk"}
PLAIN = {"text": TEXT, "head": "Ada Kroll", "tail": "Lunsk", "relation": "born_in"}


class Polars(list):
    """Has the method by which a polars DataFrame is recognised; it iterates over something else."""

    def __iter__(self):
        return iter(["a column"])

    def to_dicts(self):
        return self[:]


class Pandas(list):
    """Has the method by which a pandas DataFrame is recognised; it iterates over the names of its columns."""

    columns = ("text", "head")

    def __iter__(self):
        return iter(self.columns)

    def to_dict(self, orient):
        assert orient == "records"
        return self[:]


@pytest.mark.parametrize(
    "wrap",
    [list, tuple, iter, Pandas, Polars, pa.Table.from_pylist, lambda rows: (row for row in rows)],
    ids=["list", "tuple", "iterator", "pandas", "polars", "pyarrow", "generator"],
)
def test_rows_are_taken_in_every_form(wrap):
    assert as_statements(wrap([ROW, ROW])) == [BORN, BORN]


@pytest.mark.parametrize("library", ["pandas", "polars", "datasets"])
def test_rows_are_taken_from_the_libraries_themselves(library, tmp_path):
    made = importlib.import_module(library)
    write_statements([BORN, dataclasses.replace(BORN, relation=None)], tmp_path / "a.parquet")
    rows = [PLAIN, {**PLAIN, "relation": None}]
    frame = made.Dataset.from_list(rows) if library == "datasets" else made.DataFrame(rows)
    assert [one.relation for one in as_statements(frame)] == ["born_in", None]
    if library == "datasets":
        assert [type(one.relation) for one in as_statements(frame.with_format("numpy"))] == [str, type(None)]
        assert len(as_statements(frame.to_iterable_dataset())) == 2
    else:
        assert as_statements(made.read_parquet(tmp_path / "a.parquet")) == read_statements(tmp_path / "a.parquet")


def test_a_pandas_frame_may_have_any_of_its_types_and_offsets_next_to_names():
    pandas = importlib.import_module("pandas")
    offsets = {"head_start": 0, "head_stop": 9, "tail_start": 22, "tail_stop": 27}
    frame = pandas.DataFrame([{"text": TEXT, **offsets, "relation": "born_in", "expresses": True}, PLAIN, ROW])
    nothing = {"relation": None, "head_id": None}
    frame = pandas.concat([frame, pandas.DataFrame([{**PLAIN, **nothing}])])  # an index with repeated rows
    for form in (frame, frame.convert_dtypes(), frame.astype({"relation": "category"})):
        found = as_statements(form)
        assert [(one.relation, one.head_text, one.expresses) for one in found] == [
            ("born_in", "Ada Kroll", True),
            ("born_in", "Ada Kroll", None),
            ("born_in", "Ada Kroll", True),
            (None, "Ada Kroll", None),
        ]


def test_statements_a_data_set_and_parquet_are_taken_as_they_are(tmp_path):
    path = tmp_path / "born.parquet"
    write_statements([BORN], path)
    for source in ([BORN], DataSet.of("born", [BORN]), path, str(path), tmp_path, [BORN.__class__(*_values(BORN))]):
        assert as_statements(source) == [BORN]
    assert as_statements([]) == []
    assert as_statements([ROW, BORN]) == [BORN, BORN]


def _values(statement):
    return [getattr(statement, field.name) for field in dataclasses.fields(statement)]


@pytest.mark.parametrize(
    "head",
    [
        "Ada Kroll", (0, 9), [0, 9], Span(0, 9), {"start": 0, "stop": 9}, np.array([0, 9]), (np.int64(0), 9), (0.0, 9.0)
    ],
    ids=repr,
)  # fmt: skip
def test_a_span_is_a_name_or_its_place(head):
    assert as_statements([{**PLAIN, "head": head}])[0].head == Span(0, 9)


def test_offsets_may_have_fields_of_their_own_and_must_agree_with_a_name():
    offsets = {"head_start": 0, "head_stop": 9, "tail_start": 22, "tail_stop": 27}
    assert as_statements([{"text": TEXT, **offsets}])[0].tail_text == "Lunsk"
    assert as_statements([{**ROW, **offsets}]) == [BORN]
    assert as_statements([{**ROW, **offsets, "tail": (22, 27)}]) == [BORN]
    nothing = dict.fromkeys(offsets, float("nan"))  # as pandas fills up a column
    assert as_statements([{**ROW, **nothing}]) == [BORN]
    with pytest.raises(BadInput, match=r"^row 0, tail: expected 'Lunsk' at \[21, 27\), got ' Lunsk'$"):
        as_statements([{**ROW, **offsets, "tail_start": 21}])


@pytest.mark.parametrize("nothing", [None, float("nan"), np.float64("nan"), type("NAType", (), {})()])
def test_a_missing_label_means_no_label(nothing):
    [statement] = as_statements([{**PLAIN, "relation": nothing, "head_id": nothing, "expresses": nothing}])
    assert (statement.relation, statement.head_id, statement.expresses) == (None, None, None)


def test_whole_numbers_are_taken_as_ids():
    assert as_statements([{**PLAIN, "id": 17}])[0].id == "17"


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        (
            {"text": "Anna saw Anna in Lunsk", "head": "Anna"}, "head",
            "expected a name that occurs once in the text, got 'Anna', which occurs 2 times. Give its place as "
            "(start, stop).",
        ),
        ({"text": "a banana of Lunsk", "head": "ana"}, "head", "which occurs 2 times"),
        ({"head": "Bela"}, "head", "expected a name that occurs once in the text, got 'Bela', which does not occur"),
        ({"head": ""}, "head", "expected a name that occurs once in the text, got ''"),
        ({"tail": None}, "tail", "is missing"),
        ({"tail": 3}, "tail", "expected a span (start, stop), got 3"),
        ({"tail": (0, 4, 5)}, "tail", "expected a span (start, stop), got (0, 4, 5)"),
        ({"tail": (True, 4)}, "tail", "expected a span (start, stop), got (True, 4)"),
        ({"tail": (0, 4.5)}, "tail", "expected a span (start, stop), got (0, 4.5)"),
        ({"tail": {"start": 4}}, "tail", "expected a span (start, stop), got {'start': 4}"),
        ({"tail": (22, 99)}, "tail", "[22, 99) lies outside the text, which has 28 characters"),
        ({"tail": "Ada Kroll"}, "tail", "is the same span as the head, [0, 9)"),
        ({"text": None}, "text", "is missing"),
        ({"text": 7}, "text", "expected text, got 7"),
        ({"text": "x" * 100_001, "head": (0, 1), "tail": (1, 2)}, "text", "expected at most 100000 characters"),
        ({"relation": 3}, "relation", "expected text, got 3"),
        ({"relation": ""}, "relation", "expected a name, got an empty name. Leave it out if there is no label."),
        ({"head_type": 3}, "head_type", "expected text, got 3"),
        ({"expresses": "yes"}, "expresses", "expected True, False or None, got 'yes'"),
        ({"tails": "x"}, "tails", "expected a field of a statement, got 'tails'. Did you mean 'tail'?"),
        ({"xyz": "x"}, "xyz", "expected one of text, head, tail, relation, "),
    ],
)  # fmt: skip
def test_a_wrong_row_is_named_with_its_field(changes, field, reason):
    with pytest.raises(BadInput) as problem:
        as_statements([ROW, {**PLAIN, **changes}])
    assert str(problem.value).startswith(f"row 1, {field}: ")
    assert reason in str(problem.value)
    assert "\n" not in str(problem.value)


ACCEPTED = (
    "expected a list of Statements or dicts, a DataSet, the path of a Parquet file, a pandas or polars DataFrame, "
    "or a datasets.Dataset, got "
)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (3, "3"),
        (None, "None"),
        (b"x", "b'x'"),
        (SimpleNamespace(), "an object of type SimpleNamespace"),
        (BORN, "one Statement. Put it in a list."),
        (PLAIN, "one dict. Put it in a list."),
        ({"train": [PLAIN], "test": []}, "a dict with train, test. Pass one of its values."),
    ],
)
def test_anything_else_is_refused_with_a_list_of_what_is_accepted(source, found):
    for take in (as_statements, as_data_set):
        with pytest.raises(BadInput) as problem:
            take(source)
        assert str(problem.value).endswith(ACCEPTED + found)


def test_a_row_of_another_type_is_named():
    with pytest.raises(BadInput, match=r"^row 1: expected a Statement or a dict, got \[0, 9\]$"):
        as_statements([ROW, [0, 9]])
    with pytest.raises(BadInput, match=r"^row 0: expected a Statement or a dict, got an object of type Namespace$"):
        as_statements([type("Namespace", (), {})()])


def test_a_data_set_is_named_after_its_file_or_as_one_says(tmp_path):
    path = tmp_path / "born.parquet"
    write_statements([BORN], path)
    data = as_data_set(path)
    assert (data.name, data.path, list(data.source())) == ("born.parquet", path, [BORN])
    assert as_data_set(data) is data
    assert as_data_set(data, name="mine").name == as_data_set(path, name="mine").name == "mine"
    held = as_data_set(row for row in [ROW])
    assert (held.name, list(held.source()), list(held.source())) == ("data", [BORN], [BORN])
    assert as_data_set([ROW], name="mine").name == "mine"


def test_the_functions_of_the_room_take_rows(tmp_path):
    path = tmp_path / "a.parquet"
    assert write_statements([ROW, BORN], path) == 2
    assert read_statements(path) == [BORN, BORN]
    assert list(DataSet.of("mine", [ROW]).source()) == [BORN]
    found = find_leakage(path, [ROW])
    assert found.removed == 2
    assert list(found.remainder(path)) == []
    other = {"text": "Cy left Mere.", "head": "Cy", "tail": "Mere", "relation": "left"}
    assert [one.head_text for one in find_leakage([other, ROW], path).remainder([other, ROW])] == ["Cy"]
    for name, arguments in (("train", ([PLAIN, 3], [ROW])), ("test", ([ROW], [PLAIN, 3]))):
        with pytest.raises(BadInput, match=f"^{name}: row 1: expected a Statement or a dict, got 3$"):
            find_leakage(*arguments)


def test_a_statement_takes_a_pair_of_offsets_for_a_span():
    made = Statement(TEXT, (0, 9), [22, 27], "born_in")
    assert (made.head, made.tail) == (Span(0, 9), Span(22, 27))
    assert hash(made) == hash(Statement(TEXT, Span(0, 9), Span(22, 27), "born_in"))
    for wrong in ((0,), "Ada", 3, None, ("0", "9")):
        with pytest.raises(StatementError, match=r"^head: expected a span \(start, stop\), got "):
            Statement(TEXT, wrong, (22, 27))
    with pytest.raises(StatementError, match=r"^text: expected text, got None$"):
        Statement(None, (0, 9), (22, 27))
    with pytest.raises(StatementError, match=r"^relation: expected a name, got 3\. Leave it out"):
        Statement(TEXT, (0, 9), (22, 27), 3)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = texts.filter(str.strip)


@given(texts, names, texts, names, texts, st.none() | names, st.booleans())
def test_a_row_becomes_a_statement_and_the_same_row_again(before, head, between, tail, after, relation, turned):
    text = before + head + between + tail + after
    start = len(before) + len(head) + len(between)
    ends = {"head": (len(before), len(before) + len(head)), "tail": (start, start + len(tail))}
    if turned:
        ends = {"head": ends["tail"], "tail": ends["head"]}
    row = {"text": text, **ends, "relation": relation, "id": "x", "head_type": head}
    [statement] = as_statements([row])
    again = {name: getattr(statement, name) for name in row} | {
        end: (getattr(statement, end).start, getattr(statement, end).stop) for end in ends
    }
    assert again == row


@given(texts, names, texts, names, texts)
def test_a_name_is_found_exactly_where_it_occurs_once(before, head, between, tail, after):
    text = before + head + between + tail + after
    assume(head != tail)
    once = all(text.find(name) == text.rfind(name) for name in (head, tail))
    row = {"text": text, "head": head, "tail": tail}
    if once:
        [statement] = as_statements([row])
        assert (statement.head_text, statement.tail_text) == (head, tail)
        assert statement.head.start == len(before)
    else:
        with pytest.raises(BadInput, match=r"^row 0, (head|tail): expected a name that occurs once in the text, got "):
            as_statements([row])
