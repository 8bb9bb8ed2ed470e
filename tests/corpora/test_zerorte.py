from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from protorel.corpora import Reject, read_zerorte
from protorel.statements import Span, Statement

GOOD = {
    "tokens": ["Ada", "Kroll", "of", "Lunsk", "paints", "."],
    "head": [0, 1],
    "tail": [3],
    "label": "residence",
    "head_id": "",
    "tail_id": "Q2",
    "label_id": "P551",
    "score": 0.0,
    "zerorc_included": True,
}


def rows_of(folder: Path, *lines: object) -> list[Statement | Reject]:
    written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / "made.jsonl").write_text("\n".join(written))
    return list(read_zerorte(folder / "made.jsonl"))


def test_every_triplet_of_a_line_is_a_statement(tmp_path):
    rows = rows_of(tmp_path, {"triplets": [GOOD, GOOD | {"tail": [4], "label_id": "P106"}]}, "", {"triplets": [GOOD]})
    assert rows[0] == Statement(
        "Ada Kroll of Lunsk paints .", Span(0, 9), Span(13, 18), "P551", "made:1-0", tail_id="Q2", source="zerorte"
    )
    assert [(row.relation, row.tail_text, row.id) for row in rows[1:]] == [
        ("P106", "paints", "made:1-1"),
        ("P551", "Lunsk", "made:3-0"),
    ]


@pytest.mark.parametrize("changes", [{"label_id": ""}, {"label_id": None}])
def test_without_an_id_the_label_is_the_relation(tmp_path, changes):
    [row] = rows_of(tmp_path, {"triplets": [GOOD | changes]})
    assert row.relation == "residence"


def test_a_line_without_triplets_has_no_row(tmp_path):
    assert rows_of(tmp_path, {"triplets": []}) == []


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"head": []}, "head", "expected one position or more, got none"),
        ({"head": [0, 2]}, "head", "positions [0, 2] do not follow each other"),
        ({"head": [1, 0]}, "head", "positions [1, 0] do not follow each other"),
        ({"head": [3]}, "tail", "is the same span as the head"),
        ({"tail": [6]}, "tail", "tokens [6, 7) lie outside the sentence, which has 6 tokens"),
        ({"tail": [-1]}, "tail", "lie outside the sentence"),
        ({"tail": [True]}, "tail[0]", "expected a whole number, got true"),
        ({"tokens": "Ada"}, "tokens", "expected a list of texts, got the text 'Ada'"),
        ({"tokens": ["", " ", "of", "Lunsk"]}, "head", "covers white space only"),
        ({"tokens": ["x" * 100_000, "b", "c", "d"]}, "tokens", "expected at most 100000 characters, got 100006"),
        ({"label": 5, "label_id": ""}, "label", "got the number 5"),
        ({"label": "", "label_id": ""}, "relation", "got an empty name"),
        ({"label_id": 551}, "label_id", "expected text, got the number 551"),
        ({"head_id": []}, "head_id", "expected text, got a list of 0"),
    ],
)
def test_a_triplet_that_is_no_statement_is_rejected_by_its_place(tmp_path, changes, field, reason):
    good, bad, last = rows_of(tmp_path, {"triplets": [GOOD, GOOD | changes]}, {"triplets": [GOOD]})
    assert (good.id, last.id) == ("made:1-0", "made:2-0")
    assert (bad.file, bad.line, bad.field) == ("made.jsonl", 1, f"triplets[1].{field}")
    assert reason in bad.reason
    assert bad.content.startswith('{"tokens": ')


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        ('{"triplets": [', "line", "is not valid JSON"),
        ("[]", "line", "expected an object with triplets, got a list of 0"),
        ("{}", "triplets", "is missing"),
        ('{"triplets": {}}', "triplets", "expected a list of triplets, got an object"),
        ('{"triplets": [3]}', "triplets[0]", "expected an object with tokens, head, tail and label, got the number 3"),
        ('{"triplets": [{}]}', "triplets[0].tokens", "is missing"),
    ],
)
def test_a_line_that_cannot_be_read_is_one_reject(tmp_path, line, field, reason):
    bad, good = rows_of(tmp_path, line, {"triplets": [GOOD]})
    assert isinstance(good, Statement)
    assert (bad.line, bad.field) == (1, field)
    assert reason in bad.reason


def test_the_real_wiki_zsl_sample_gives_5857_statements_of_5_relations_and_7_rejects(real_data):
    rows = list(read_zerorte(real_data / "distant" / "wikizsl" / "dev.jsonl"))
    taken = [row for row in rows if isinstance(row, Statement)]
    assert (len(rows), len(taken)) == (5864, 5857)
    assert {row.relation for row in taken} == {"P106", "P241", "P466", "P571", "P706"}
    assert len({row.id for row in taken}) == 5857
    reasons = Counter(row.reason.split()[0] for row in rows if isinstance(row, Reject))
    assert reasons == {"positions": 4, "is": 2, "expected": 1}
