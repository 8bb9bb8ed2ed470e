from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path

import pytest

from protorel.corpora import Reject, read_wikigender
from protorel.statements import BadInput, Span, Statement

PERSON = {
    "entity1": "Ada Kroll",
    "gender_of_entity1": "Female",
    "relations": [
        {
            "entity2": "Bela Tarn",
            "relation_name": "spouse",
            "sentences": ["Ada Kroll met Tarn in Lunsk .", "In Lunsk Kroll married Bela Tarn ."],
            "positions": [{"entity1": [0, 10], "entity2": [14, 18]}, {"entity1": [9, 14], "entity2": [23, 32]}],
        },
        {
            "entity2": "Oster",
            "relation_name": "NA",
            "sentences": ["Oster saw Kroll ."],
            "positions": [{"entity1": [10, 15], "entity2": [0, 6]}],
        },
    ],
}


def rows_of(folder: Path, value: object) -> list[Statement | Reject]:
    (folder / "made.json").write_text(json.dumps(value))
    return list(read_wikigender(folder / "made.json"))


def changed(**changes: object) -> dict:
    person = copy.deepcopy(PERSON)
    person["relations"][0] |= changes
    return person


def test_every_sentence_is_a_statement_and_a_span_at_the_start_loses_its_last_character(tmp_path):
    first, second, third = rows_of(tmp_path, {"train": [PERSON]})
    assert first == Statement(
        "Ada Kroll met Tarn in Lunsk .", Span(0, 9), Span(14, 18), "spouse", "made:train-0-0-0",
        document="Ada Kroll", source="wikigender/train",
    )  # fmt: skip
    assert (second.head_text, second.tail_text, second.id) == ("Kroll", "Bela Tarn", "made:train-0-0-1")
    assert (third.head_text, third.tail_text, third.relation) == ("Kroll", "Oster", "NA")


def test_the_parts_can_be_told_apart(tmp_path):
    rows = rows_of(tmp_path, {"train": [PERSON], "male_test": [], "female_test": [PERSON, PERSON]})
    assert Counter(row.source for row in rows) == {"wikigender/train": 3, "wikigender/female_test": 6}
    assert len({row.id for row in rows}) == 9


@pytest.mark.parametrize(
    ("position", "field", "reason"),
    [
        ({"entity1": [-1, -1], "entity2": [14, 18]}, ".entity1", "[-1, -1] is empty: the entity was not found"),
        ({"entity1": [0, 10], "entity2": [0, 0]}, ".entity2", "[0, 0] is empty"),
        ({"entity1": [0, 10], "entity2": [18, 14]}, ".entity2", "[18, 14] is empty"),
        ({"entity1": [0, 1], "entity2": [14, 18]}, ".entity1", "[0, 0) is empty"),
        ({"entity1": [14, 18], "entity2": [14, 18]}, ".entity2", "is the same span as the head"),
        ({"entity1": [0, 10], "entity2": [14, 99]}, ".entity2", "lies outside the text, which has 29 characters"),
        ({"entity1": [0, True], "entity2": [14, 18]}, ".entity1[1]", "expected a whole number, got true"),
        ({"entity1": [0], "entity2": [14, 18]}, ".entity1", "expected [start, stop), got a list of 1"),
        ({"entity1": [0, 10]}, ".entity2", "is missing"),
        (None, "", "expected an object with entity1 and entity2, got null"),
    ],
)
def test_a_place_that_marks_nothing_is_rejected(tmp_path, position, field, reason):
    bad, *good = rows_of(tmp_path, {"dev": [changed(positions=[position, PERSON["relations"][0]["positions"][1]])]})
    assert [row.id for row in good] == ["made:dev-0-0-1", "made:dev-0-1-0"]
    assert (bad.file, bad.line, bad.field) == ("made.json", None, f"dev[0].relations[0].positions[0]{field}")
    assert reason in bad.reason


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"sentences": ["one"]}, "positions", "expected one per sentence, 1, got 2"),
        ({"sentences": "one"}, "sentences", "expected a list of sentences, got the text 'one'"),
        ({"positions": {}}, "positions", "expected a list of positions, got an object"),
        ({"relation_name": None}, "relation_name", "expected text, got null"),
    ],
)
def test_a_relation_that_cannot_be_read_is_one_reject(tmp_path, changes, field, reason):
    bad, good = rows_of(tmp_path, {"dev": [changed(**changes)]})
    assert good.id == "made:dev-0-1-0"
    assert (bad.field, bad.reason) == (f"dev[0].relations[0].{field}", reason)


def test_a_bad_sentence_or_an_empty_label_is_a_reject_by_its_place(tmp_path):
    rows = rows_of(tmp_path, {"dev": [changed(sentences=[7, "In Lunsk Kroll married Bela Tarn ."])]})
    assert (rows[0].field, len(rows)) == ("dev[0].relations[0].sentences[0]", 3)
    rows = rows_of(tmp_path, {"dev": [changed(relation_name=" ")]})
    assert [row.field for row in rows[:2]] == ["dev[0].relations[0].relation_name"] * 2


@pytest.mark.parametrize(
    ("value", "field", "reason"),
    [
        ({"dev": 3, "test": [PERSON]}, "dev", "expected a list of people in part 'dev', got the number 3"),
        (
            {"dev": ["Ada"], "test": [PERSON]},
            "dev[0]",
            "expected an object with entity1 and relations, got the text 'Ada'",
        ),
        ({"dev": [{"entity1": "Ada"}], "test": [PERSON]}, "dev[0].relations", "is missing"),
        ({"dev": [{"entity1": 1, "relations": []}], "test": [PERSON]}, "dev[0].entity1", "got the number 1"),
        ({"dev": [PERSON | {"relations": 1}], "test": [PERSON]}, "dev[0].relations", "got the number 1"),
        (
            {"dev": [PERSON | {"relations": [1]}], "test": [PERSON]},
            "dev[0].relations[0]",
            "expected an object with relation_name, sentences and positions, got the number 1",
        ),
        ({"\ud800": [PERSON], "test": [PERSON]}, "\\ud800", "has a lone surrogate"),
    ],
)
def test_what_cannot_be_read_is_one_reject_and_the_next_part_is_read(tmp_path, value, field, reason):
    bad, *good = rows_of(tmp_path, value)
    assert [row.source for row in good] == ["wikigender/test"] * 3
    assert (bad.field, reason in bad.reason) == (field, True)


def test_a_file_that_is_no_object_is_bad_input(tmp_path):
    with pytest.raises(
        BadInput, match=r"expected WikiGenderBias' object of parts, each with its people, got a list of 0"
    ):
        rows_of(tmp_path, [])


def test_the_real_file_holds_45529_sentences_of_which_42543_mark_two_entities(real_data):
    rows = list(read_wikigender(real_data / "distant" / "wikigenderbias" / "Wikigender.json"))
    taken = [row for row in rows if isinstance(row, Statement)]
    assert (len(rows), len(taken)) == (45_529, 42_543)
    assert {row.relation for row in taken} == {"spouse", "birthPlace", "birthDate", "hypernym", "NA"}
    assert Counter(row.source.split("/")[1] for row in taken).keys() == {"train", "dev", "male_test", "female_test"}
    assert len({row.id for row in taken}) == 42_543
    assert all(text == text.strip() for row in taken for text in (row.head_text, row.tail_text))
    reasons = ("is empty", "the same span", "lies outside")
    counts = [sum(reason in row.reason for row in rows if isinstance(row, Reject)) for reason in reasons]
    assert counts == [1664, 1318, 4]
