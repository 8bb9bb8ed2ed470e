from __future__ import annotations

import copy
import json
from collections import defaultdict
from pathlib import Path

import pytest

from protorel.corpora import Reject, read_docred_pairs
from protorel.statements import Span, Statement


def mention(sentence: int, start: int, stop: int, type: str = "PER") -> dict:
    return {"name": "whatever", "sent_id": sentence, "pos": [start, stop], "type": type}


KROLL, LUNSK, TARN, MERE = range(4)
DOCUMENT = {
    "title": "Ada Kroll",
    "sents": [
        ["Ada", "Kroll", "was", "born", "in", "Lunsk", "."],
        ["Kroll", "left", "Lunsk", ";", "Kroll", "met", "Bela", "Tarn", "."],
        ["It", "lies", "by", "the", "Mere", "."],
    ],
    "vertexSet": [
        [mention(1, 4, 5), mention(1, 0, 1), mention(0, 0, 2)],
        [mention(0, 5, 6, "LOC"), mention(1, 2, 3, "LOC")],
        [mention(1, 6, 8)],
        [mention(2, 4, 5, "LOC")],
    ],
    "labels": [],
}


def fact(head: object, tail: object, relation: object = "P19", **rest: object) -> dict:
    return {"h": head, "t": tail, "r": relation} | rest


def rows_of(folder: Path, *facts: object, **changes: object) -> list[Statement | Reject]:
    (folder / "made.json").write_text(json.dumps([DOCUMENT | {"labels": list(facts)} | changes]))
    return list(read_docred_pairs(folder / "made.json"))


def read_out(rows: list[Statement | Reject]) -> dict[tuple[str, str, str], set[str | None]]:
    """Return the labels of each pair by sentence, head and tail."""
    found = defaultdict(set)
    for row in rows:
        found[row.text.split()[-3], row.head_text, row.tail_text].add(row.relation)
    return found


def test_every_ordered_pair_of_a_sentence_is_a_statement_and_without_a_fact_it_has_no_relation(tmp_path):
    rows = rows_of(tmp_path)
    pairs = [(row.head_text, row.tail_text) for row in rows]
    assert pairs[:2] == [("Ada Kroll", "Lunsk"), ("Lunsk", "Ada Kroll")]
    three = {"Kroll", "Lunsk", "Bela Tarn"}
    assert set(pairs[2:]) == {(head, tail) for head in three for tail in three if head != tail}
    assert len(pairs) == 2 + 6
    assert {row.relation for row in rows} == {"no_relation"}
    assert rows[0] == Statement(
        "Ada Kroll was born in Lunsk .", Span(0, 9), Span(22, 27), "no_relation", "made:0-0-0-1",
        head_id="made:0#0", tail_id="made:0#1", head_type="PER", tail_type="LOC", document="Ada Kroll", source="docred",
    )  # fmt: skip


def test_a_pair_has_a_row_for_each_relation_of_its_own_order_in_every_sentence(tmp_path):
    facts = [fact(KROLL, LUNSK), fact(KROLL, LUNSK, "P551"), fact(LUNSK, KROLL, "P6"), fact(KROLL, LUNSK)]
    found = read_out(rows_of(tmp_path, *facts))
    assert found["in", "Ada Kroll", "Lunsk"] == found["Bela", "Kroll", "Lunsk"] == {"P19", "P551"}
    assert found["in", "Lunsk", "Ada Kroll"] == found["Bela", "Lunsk", "Kroll"] == {"P6"}
    assert found["Bela", "Kroll", "Bela Tarn"] == found["Bela", "Bela Tarn", "Lunsk"] == {"no_relation"}
    rows = rows_of(tmp_path, *facts)
    ids = [row.id for row in rows]
    assert len(set(ids)) == len(ids) == 2 * 3 + 4
    assert rows[0].key == rows[1].key != rows[2].key


@pytest.mark.parametrize(
    ("evidence", "expresses"), [([0], [True, False]), ([1, 2], [False, True]), ([], [None] * 2), (None, [None] * 2)]
)
def test_a_sentence_expresses_a_fact_where_the_evidence_says_so(evidence, expresses, tmp_path):
    rows = rows_of(tmp_path, fact(KROLL, LUNSK, evidence=evidence))
    assert [row.expresses for row in rows if row.relation == "P19"] == expresses
    assert {row.expresses for row in rows if row.relation == "no_relation"} == {None}


def test_evidence_of_a_fact_that_is_listed_twice_is_joined(tmp_path):
    rows = rows_of(tmp_path, fact(KROLL, LUNSK, evidence=[0]), fact(KROLL, LUNSK, evidence=[1]))
    assert [row.expresses for row in rows if row.relation == "P19"] == [True, True]


def test_a_fact_that_takes_two_sentences_is_rejected_and_the_document_is_not(tmp_path):
    reject, *rows = rows_of(tmp_path, fact(KROLL, MERE))
    assert (reject.field, reject.reason) == ("[0].labels[0]", "expected a sentence with both entities, got none")
    assert len(rows) == 8
    [reject] = [row for row in rows_of(tmp_path, fact(KROLL, KROLL)) if isinstance(row, Reject)]
    assert reject.reason == "expected two different entities, got one twice"


def test_two_entities_that_share_their_only_mention_are_rejected_in_both_orders(tmp_path):
    entities = copy.deepcopy(DOCUMENT["vertexSet"])
    entities[TARN] = [mention(0, 5, 6)]
    rows = rows_of(tmp_path, vertexSet=entities)
    rejects = [row for row in rows if isinstance(row, Reject)]
    assert [reject.field for reject in rejects] == ["[0].vertexSet[2]", "[0].vertexSet[1]"]
    assert all("is the same span as the head" in reject.reason for reject in rejects)
    assert len(rows) - len(rejects) == 4 + 2


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"labels": [fact(KROLL, LUNSK), fact(9, LUNSK)]}, "[0].labels[1].h"),
        ({"labels": [fact(KROLL, LUNSK, 19)]}, "[0].labels[0].r"),
        ({"labels": ["P19"]}, "[0].labels[0]"),
        ({"sents": [["Ada", 7], *DOCUMENT["sents"][1:]]}, "[0]"),
        ({"vertexSet": [[3]]}, "[0]"),
        ({"labels": None}, "[0].labels"),
    ],
)
def test_a_document_with_something_that_cannot_be_read_is_one_reject(changes, field, tmp_path):
    (tmp_path / "made.json").write_text(json.dumps([DOCUMENT | changes, DOCUMENT]))
    reject, *rows = read_docred_pairs(tmp_path / "made.json")
    assert isinstance(reject, Reject)
    assert reject.field == field
    assert rows[0].id == "made:1-0-0-1"
    assert len(rows) == 8


def test_documents_of_one_title_can_be_told_apart(tmp_path):
    (tmp_path / "made.json").write_text(json.dumps([DOCUMENT, DOCUMENT, DOCUMENT]))
    rows = list(read_docred_pairs(tmp_path / "made.json"))
    assert list(dict.fromkeys(row.document for row in rows)) == ["Ada Kroll", "Ada Kroll [1]", "Ada Kroll [2]"]


def test_of_45088_pairs_of_the_real_file_15_percent_hold_a_fact(real_data):
    rows = list(read_docred_pairs(real_data / "distant" / "redocred" / "dev_revised.json"))
    kept = [row for row in rows if isinstance(row, Statement)]
    labels = defaultdict(set)
    for row in kept:
        labels[row.head_id, row.tail_id, row.text].add(row.relation)
    related = [own for own in labels.values() if own != {"no_relation"}]
    assert (len(labels), len(related)) == (45_092, 6_825)
    assert len({(s.head_id, s.tail_id, s.relation) for s in kept if s.relation != "no_relation"}) == 7_982
    assert not any("no_relation" in own for own in related)
    assert len(rows) - len(kept) == 9_302 + 2
