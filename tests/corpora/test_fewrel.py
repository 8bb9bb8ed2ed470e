from __future__ import annotations

import json
from pathlib import Path

import pytest

from protorel.corpora import Reject, read_fewrel
from protorel.statements import BadInput, Span, Statement

GOOD = {
    "tokens": ["Ada", "Kroll", "was", "born", "in", "Lunsk", "."],
    "h": ["ada kroll", "Q1", [[0, 1]]],
    "t": ["lunsk", "Q2", [[5], [0]]],
}


def rows_of(folder: Path, value: object) -> list[Statement | Reject]:
    path = folder / "made_wiki.json"
    path.write_text(json.dumps(value))
    return list(read_fewrel(path))


def test_tokens_are_joined_by_one_space_and_the_first_mention_is_taken(tmp_path):
    [row] = rows_of(tmp_path, {"P19": [GOOD]})
    assert row == Statement(
        "Ada Kroll was born in Lunsk .", Span(0, 9), Span(22, 27), "P19", "made_wiki:P19-0", "Q1", "Q2", source="fewrel"
    )


def test_ids_count_within_each_relation_and_rejected_rows_keep_their_number(tmp_path):
    rows = rows_of(tmp_path, {"P19": [GOOD, {}, GOOD], "P20": [GOOD]})
    assert [row.id for row in rows if isinstance(row, Statement)] == [
        "made_wiki:P19-0",
        "made_wiki:P19-2",
        "made_wiki:P20-0",
    ]
    assert rows[1].field == "P19[1].tokens"


def test_white_space_inside_tokens_stays_and_spans_still_slice_to_the_tokens(tmp_path):
    tokens = ["Ada", "\n ", "\u00a0", "Kroll", "", "of", "New\u00a0Lunsk"]
    [row] = rows_of(tmp_path, {"P19": [{"tokens": tokens, "h": ["x", "", [[0, 1, 2, 3]]], "t": ["y", None, [[6]]]}]})
    assert row.text == " ".join(tokens)
    assert row.head_text == "Ada \n  \u00a0 Kroll"
    assert row.tail_text == "New\u00a0Lunsk"
    assert (row.head_id, row.tail_id) == (None, None)


def test_a_name_that_is_not_its_tokens_is_no_reason_to_reject(tmp_path):
    [row] = rows_of(tmp_path, {"P19": [GOOD | {"h": ["somebody else", "Q1", [[0, 1]]]}]})
    assert row.head_text == "Ada Kroll"


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"tokens": "Ada Kroll"}, "P19[0].tokens", "expected a list of texts, got the text 'Ada Kroll'"),
        ({"tokens": []}, "P19[0].h", "outside the sentence, which has 0 tokens"),
        ({"tokens": ["Ada", 7]}, "P19[0].tokens[1]", "expected text, got the number 7"),
        ({"tokens": [*GOOD["tokens"], "\ud800"]}, "P19[0].tokens[7]", "lone surrogate (U+D800)"),
        ({"tokens": ["Ada", "Kroll", "was", "born", "in", " ", "."]}, "P19[0].t", "covers white space only"),
        ({"h": None}, "P19[0].h", "expected [name, id, [positions, ...]], got null"),
        ({"h": ["ada", "Q1"]}, "P19[0].h", "got a list of 2"),
        ({"h": ["ada", 1, [[0]]]}, "P19[0].h[1]", "expected text, got the number 1"),
        ({"h": ["ada", "Q1", []]}, "P19[0].h[2]", "expected one mention or more, got none"),
        ({"h": ["ada", "Q1", [[]]]}, "P19[0].h", "expected one position or more, got none"),
        ({"h": ["ada", "Q1", [0, 1]]}, "P19[0].h[2][0]", "expected a list of whole numbers, got the number 0"),
        ({"h": ["ada", "Q1", [[True]]]}, "P19[0].h[2][0][0]", "expected a whole number, got true"),
        ({"h": ["ada", "Q1", [[0.0]]]}, "P19[0].h[2][0][0]", "expected a whole number, got the number 0.0"),
        ({"h": ["ada", "Q1", [[10**30]]]}, "P19[0].h[2][0][0]", "a number of 100 bits"),
        ({"h": ["ada", "Q1", [[0, 2]]]}, "P19[0].h", "positions [0, 2] do not follow each other"),
        ({"h": ["ada", "Q1", [[1, 0]]]}, "P19[0].h", "positions [1, 0] do not follow each other"),
        ({"h": ["ada", "Q1", [[6, 7]]]}, "P19[0].h", "tokens [6, 8) lie outside the sentence, which has 7 tokens"),
        ({"h": ["ada", "Q1", [[-1]]]}, "P19[0].h", "lie outside the sentence"),
        ({"t": ["ada", "Q1", [[0, 1]]]}, "P19[0].t", "is the same span as the head"),
    ],
)
def test_an_instance_that_is_no_statement_is_rejected_with_its_field_and_reason(tmp_path, changes, field, reason):
    bad, good = rows_of(tmp_path, {"P19": [GOOD | changes, GOOD]})
    assert isinstance(good, Statement)
    assert (bad.file, bad.line, bad.field) == ("made_wiki.json", None, field)
    assert reason in bad.reason
    assert 0 < len(bad.content) <= 500


@pytest.mark.parametrize("instance", [None, 3, "Ada", [], True])
def test_an_instance_that_is_not_an_object_is_rejected(tmp_path, instance):
    [row] = rows_of(tmp_path, {"P19": [instance]})
    assert (row.field, "expected an object with tokens, h and t" in row.reason) == ("P19[0]", True)


def test_a_relation_without_a_list_is_one_reject(tmp_path):
    bad, good = rows_of(tmp_path, {"P19": GOOD, "P20": [GOOD]})
    assert (bad.field, bad.reason) == ("P19", "expected a list of instances, got an object")
    assert isinstance(good, Statement)


@pytest.mark.parametrize("kept", [1, 20, 100, -1])
def test_a_truncated_file_is_bad_input_with_the_file_and_the_place(tmp_path, kept):
    path = tmp_path / "cut.json"
    path.write_text(json.dumps({"P19": [GOOD]})[:kept])
    with pytest.raises(BadInput, match=r"cut\.json: is not valid JSON \(.*line 1 column \d+ \(char \d+\)\)"):
        list(read_fewrel(path))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[1, 2]", "expected FewRel's object of relations, each with its instances, got a list of 2"),
        (b"\xff{}", "is not UTF-8"),
        (b'{"P19": NaN}', "has NaN"),
        (b'{"P19": [], "P19": []}', "names 'P19' twice"),
        (b"[" * 200_000, "is nested too deeply"),
        (b'{"P19": ' + b"9" * 5000 + b"}", "integer"),
    ],
)
def test_a_file_that_is_not_fewrel_is_bad_input_in_one_line(tmp_path, content, reason):
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(BadInput) as problem:
        list(read_fewrel(path))
    assert str(problem.value).startswith(f"{path}: ")
    assert reason in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_byte_order_mark_is_tolerated(tmp_path):
    path = tmp_path / "bom.json"
    path.write_text(json.dumps({"P19": [GOOD]}), encoding="utf-8-sig")
    assert len(list(read_fewrel(path))) == 1


@pytest.mark.parametrize(
    ("file", "relations", "rows", "names_that_differ"),
    [("train_wiki.reconstructed.json", 64, 36_526, 52), ("val_wiki.json", 16, 11_200, 0)],
)
def test_every_row_of_the_real_files_is_taken_and_heads_agree_with_their_names(
    real_data, file, relations, rows, names_that_differ
):
    path = real_data / "fewrel" / file
    statements = list(read_fewrel(path))
    assert len(statements) == rows
    assert all(isinstance(row, Statement) for row in statements)
    assert len({row.relation for row in statements}) == relations
    assert len({row.id for row in statements}) == rows
    names = [row[end][0] for group in json.loads(path.read_text()).values() for row in group for end in "ht"]
    found = [text for row in statements for text in (row.head_text, row.tail_text)]
    differ = sum(squeezed(name) != squeezed(text) for name, text in zip(names, found, strict=True))
    assert differ == names_that_differ


def squeezed(text: str) -> str:
    return "".join(text.lower().split())
