from __future__ import annotations

import json
from pathlib import Path

import pytest

from protorel.corpora import Reject, read_tacred
from protorel.statements import BadInput, Span, Statement, load_equivalents

GOOD = {
    "id": "e7",
    "docid": "d1",
    "relation": "per:city_of_birth",
    "token": ["Ada", "Kroll", "of", "Lunsk", "paints", "."],
    "subj_start": 0,
    "subj_end": 1,
    "obj_start": 3,
    "obj_end": 3,
    "subj_type": "PERSON",
    "obj_type": "CITY",
    "stanford_pos": ["NNP"] * 6,
}


def rows_of(folder: Path, *instances: object) -> list[Statement | Reject]:
    (folder / "train.json").write_text(json.dumps(instances))
    return list(read_tacred(folder / "train.json"))


def test_the_subject_is_the_head_and_the_last_token_counts_in(tmp_path):
    assert rows_of(tmp_path, GOOD) == [
        Statement(
            "Ada Kroll of Lunsk paints .", Span(0, 9), Span(13, 18), "per:city_of_birth", "e7",
            head_type="PERSON", tail_type="CITY", document="d1", source="tacred",
        )
    ]  # fmt: skip


def test_no_relation_stays_a_label_that_leakage_never_shares(tmp_path):
    [row] = rows_of(tmp_path, GOOD | {"relation": "no_relation"})
    assert row.relation == "no_relation"
    assert not load_equivalents().meaning(row.relation)


def test_what_need_not_be_there_may_be_missing(tmp_path):
    needed = {name: GOOD[name] for name in GOOD if name not in ("id", "docid", "subj_type", "obj_type")}
    rows = rows_of(tmp_path, needed, GOOD | {"id": "", "subj_type": None, "docid": ""})
    assert [(row.id, row.head_type, row.document) for row in rows] == [("train:0", None, None), ("train:1", None, None)]


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"subj_end": 9}, "[1].subj_start", "tokens [0, 10) lie outside the sentence, which has 6 tokens"),
        ({"obj_end": 2}, "[1].obj_start", "tokens [3, 3) are empty"),
        ({"obj_start": "3"}, "[1].obj_start", "the text '3'"),
        ({"obj_start": 0, "obj_end": 1}, "[1].obj_start", "is the same span as the head"),
        ({"token": "Ada"}, "[1].token", "the text 'Ada'"),
        ({"token": ["x" * 100_000, *GOOD["token"]]}, "[1].token", "expected at most 100000 characters"),
        ({"relation": None}, "[1].relation", "null"),
        ({"relation": " "}, "[1].relation", "expected a name, got an empty name"),
        ({"subj_type": 3}, "[1].subj_type", "the number 3"),
    ],
)
def test_a_bad_instance_is_rejected_and_the_others_are_kept(tmp_path, changes, field, reason):
    rows = rows_of(tmp_path, GOOD, GOOD | changes, GOOD)
    assert [type(row) for row in rows] == [Statement, Reject, Statement]
    assert (rows[1].file, rows[1].line, rows[1].field) == ("train.json", None, field)
    assert reason in rows[1].reason


def test_an_instance_that_lacks_something_or_is_none_is_rejected(tmp_path):
    lacking, number = rows_of(tmp_path, {"token": []}, 3)
    assert (lacking.field, lacking.reason) == ("[0].subj_start", "is missing")
    assert number.field == "[1]"


def test_a_file_that_is_no_list_is_refused(tmp_path):
    (tmp_path / "train.json").write_text("{}")
    with pytest.raises(BadInput, match=r"train\.json: .*TACRED's list of instances"):
        list(read_tacred(tmp_path / "train.json"))
