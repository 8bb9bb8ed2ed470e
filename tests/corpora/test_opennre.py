from __future__ import annotations

import json
from pathlib import Path

import pytest

from protorel.corpora import Reject, read_opennre
from protorel.statements import Span, Statement

IN_TOKENS = {
    "token": ["Ada", "Kroll", "was", "born", "in", "New", "Lunsk", "."],
    "h": {"name": "ada kroll", "id": "Q1", "pos": [0, 2]},
    "t": {"name": "New Lunsk", "id": "Q2", "pos": [5, 7]},
    "relation": "place of birth",
}
IN_TEXT = {
    "text": "Ada Kroll was born in Lunsk.",
    "h": {"name": "Ada Kroll", "id": "m.01", "pos": [0, 9]},
    "t": {"name": "Lunsk", "id": "m.02", "pos": [22, 27]},
    "relation": "/people/person/place_of_birth",
}


def rows_of(folder: Path, *lines: object) -> list[Statement | Reject]:
    written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / "made.txt").write_text("\n".join(written), encoding="utf-8")
    return list(read_opennre(folder / "made.txt"))


def test_both_forms_give_statements_with_ids_and_relations(tmp_path):
    in_tokens, in_text = rows_of(tmp_path, IN_TOKENS, IN_TEXT)
    assert in_tokens == Statement(
        "Ada Kroll was born in New Lunsk .",
        Span(0, 9), Span(22, 31), "place of birth", "made:1", "Q1", "Q2", source="opennre",
    )  # fmt: skip
    assert in_text == Statement(
        "Ada Kroll was born in Lunsk.",
        Span(0, 9), Span(22, 27), "/people/person/place_of_birth", "made:2", "m.01", "m.02", source="opennre",
    )  # fmt: skip


@pytest.mark.parametrize("relation", ["Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "NA", "Other"])
def test_a_label_stays_as_it_is(tmp_path, relation):
    [row] = rows_of(tmp_path, IN_TOKENS | {"relation": relation})
    assert row.relation == relation


def test_a_line_without_label_or_ids_is_a_statement_without_them(tmp_path):
    bare = {
        "token": IN_TOKENS["token"],
        **{end: {"name": IN_TOKENS[end]["name"], "pos": IN_TOKENS[end]["pos"]} for end in "ht"},
    }
    first, second = rows_of(tmp_path, bare, bare | {"relation": None, "h": bare["h"] | {"id": ""}})
    assert (first.relation, first.head_id, first.tail_id) == (None, None, None)
    assert (second.relation, second.head_id) == (None, None)


@pytest.mark.parametrize("name", ["Ada Kroll", "ADA  kroll", "adakroll", "ada_kroll", " Ada\u00a0Kroll"])
def test_a_name_is_compared_without_case_white_space_and_underscores(tmp_path, name):
    in_tokens, in_text = (line | {"h": line["h"] | {"name": name}} for line in (IN_TOKENS, IN_TEXT))
    assert all(isinstance(row, Statement) for row in rows_of(tmp_path, in_tokens, in_text))


def test_characters_that_are_tokens_of_their_own_make_a_name(tmp_path):
    line = {"token": list("林萧与周宁"), "h": {"name": "林萧", "pos": [0, 2]}, "t": {"name": "周宁", "pos": [3, 5]}}
    [row] = rows_of(tmp_path, line)
    assert (row.head_text, row.tail_text) == ("林 萧", "周 宁")


@pytest.mark.parametrize(
    ("line", "end", "pos", "reason"),
    [
        (IN_TOKENS, "h", [0, 1], "expected the name 'ada kroll', got 'Ada' at [0, 1)"),
        (IN_TOKENS, "t", [5, 6], "expected the name 'New Lunsk', got 'New' at [5, 6)"),
        (IN_TEXT, "h", [0, 8], "expected the name 'Ada Kroll', got 'Ada Krol' at [0, 8)"),
        (IN_TEXT, "t", [22, 28], "expected the name 'Lunsk', got 'Lunsk.' at [22, 28)"),
        (IN_TEXT, "t", [-6, -1], "expected the name 'Lunsk', got 'Lunsk' at [-6, -1)"),
        (IN_TEXT, "t", [22, 10], "expected the name 'Lunsk', got '' at [22, 10)"),
        (IN_TOKENS, "t", [5, 9], "tokens [5, 9) lie outside the sentence, which has 8 tokens"),
        (IN_TOKENS, "t", [7, 5], "tokens [7, 5) are empty"),
        (IN_TOKENS, "t", [-3, -1], "tokens [-3, -1) lie outside"),
    ],
)
def test_a_place_that_is_not_its_name_is_rejected_with_both_texts(tmp_path, line, end, pos, reason):
    bad, good = rows_of(tmp_path, line | {end: line[end] | {"pos": pos}}, line)
    assert isinstance(good, Statement)
    assert (bad.file, bad.line, bad.field) == ("made.txt", 1, f"{end}.pos")
    assert bad.reason.startswith(reason)


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        ("[1]", "line", "expected an object with h and t, got a list of 1"),
        ('{"token"', "line", "is not valid JSON"),
        ({"token": ["a"]}, "h", "is missing"),
        ({"h": {}, "t": {}}, "text", "expected text or token, got neither"),
        (IN_TEXT | {"token": ["a"]}, "text", "expected text or token, got both"),
        (IN_TEXT | {"h": {"name": "Ada Kroll"}}, "h.pos", "is missing"),
        (IN_TEXT | {"h": {"pos": [0, 9]}}, "h.name", "is missing"),
        (IN_TEXT | {"h": {"name": 4, "pos": [0, 9]}}, "h.name", "expected text, got the number 4"),
        (IN_TEXT | {"h": {"name": "Ada", "pos": [0]}}, "h.pos", "expected [start, stop), got a list of 1"),
        (IN_TEXT | {"h": {"name": "Ada", "pos": [False, 9]}}, "h.pos[0]", "expected a whole number, got false"),
        (IN_TEXT | {"h": IN_TEXT["h"] | {"id": 3}}, "h.id", "expected text, got the number 3"),
        (IN_TEXT | {"h": IN_TEXT["t"]}, "t.pos", "is the same span as the head"),
        (IN_TEXT | {"text": 7}, "text", "got the number 7"),
        (IN_TEXT | {"relation": ""}, "relation", "got an empty name"),
        (IN_TEXT | {"relation": 5}, "relation", "expected text, got the number 5"),
        (IN_TOKENS | {"token": ["a", 5]}, "token[1]", "got the number 5"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_statement_is_rejected_with_its_field_and_reason(tmp_path, line, field, reason):
    bad, good = rows_of(tmp_path, line, IN_TEXT)
    assert isinstance(good, Statement)
    assert (bad.line, bad.field) == (1, field)
    assert reason in bad.reason
