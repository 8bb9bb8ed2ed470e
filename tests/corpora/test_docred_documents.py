from __future__ import annotations

import json
from pathlib import Path

import pytest

from protorel.corpora import AnnotatedDocument, read_docred_documents, read_docred_pairs
from protorel.statements import BadInput, Statement


def mention(sentence: int, start: int, stop: int, type: str = "PER") -> dict:
    return {"name": "whatever", "sent_id": sentence, "pos": [start, stop], "type": type}


KROLL, LUNSK, MERE = range(3)
DOCUMENT = {
    "title": "Ada Kroll",
    "sents": [
        ["Ada", "Kroll", "was", "born", "in", "Lunsk", "."],
        ["Kroll", "left", "Lunsk", "."],
        ["It", "lies", "by", "the", "Mere", "."],
    ],
    "vertexSet": [
        [mention(1, 0, 1), mention(0, 0, 2), mention(0, 0, 2)],
        [mention(0, 5, 6, "LOC"), mention(1, 2, 3, "LOC")],
        [mention(2, 4, 5, "LOC")],
    ],
    "labels": [{"h": KROLL, "t": LUNSK, "r": "P19"}, {"h": LUNSK, "t": MERE, "r": "P206"}],
}


def read(folder: Path, *documents: object, most: int | None = None) -> list[AnnotatedDocument]:
    (folder / "made.json").write_text(json.dumps(documents))
    return list(read_docred_documents(folder / "made.json", most=most))


def test_text_mentions_and_facts_are_those_of_the_document(tmp_path):
    [found] = read(tmp_path, DOCUMENT)
    assert found.text == "Ada Kroll was born in Lunsk . Kroll left Lunsk . It lies by the Mere ."
    assert [span.of(found.text) for span in found.sentences] == [" ".join(one) for one in DOCUMENT["sents"]]
    assert [[(one.span.of(found.text), one.sentence, one.type) for one in own] for own in found.entities] == [
        [("Ada Kroll", 0, "PER"), ("Kroll", 1, "PER")],
        [("Lunsk", 0, "LOC"), ("Lunsk", 1, "LOC")],
        [("Mere", 2, "LOC")],
    ]
    assert found.facts == {(KROLL, LUNSK, "P19"), (LUNSK, MERE, "P206")}
    assert found.in_one_sentence(KROLL, LUNSK)
    assert not found.in_one_sentence(LUNSK, MERE)


def test_two_entities_that_share_their_only_mention_of_a_sentence_are_no_pair(tmp_path):
    same = [mention(0, 0, 2), mention(2, 0, 1)]
    [found] = read(tmp_path, DOCUMENT | {"vertexSet": [DOCUMENT["vertexSet"][0], same]} | {"labels": []})
    assert not found.in_one_sentence(0, 1)


def test_facts_in_one_sentence_are_those_that_natural_pairs_hold(tmp_path):
    [found] = read(tmp_path, DOCUMENT)
    rows = [row for row in read_docred_pairs(tmp_path / "made.json") if isinstance(row, Statement)]
    held = {(row.head_id, row.tail_id, row.relation) for row in rows if row.relation != "no_relation"}
    assert held == {
        (f"made:0#{head}", f"made:0#{tail}", relation)
        for head, tail, relation in found.facts
        if found.in_one_sentence(head, tail)
    }


def test_a_fact_of_an_entity_with_itself_is_left_out_and_only_the_first_documents_are_read(tmp_path):
    itself = DOCUMENT | {"labels": [{"h": KROLL, "t": KROLL, "r": "P1"}]}
    assert [one.facts for one in read(tmp_path, itself, {"bad": 1}, most=1)] == [frozenset()]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"labels": [{"h": 0, "t": 9, "r": "P19"}]}, r"\[0\].labels\[0\].t: expected an entity below 3, got 9"),
        ({"vertexSet": [[mention(0, 0, 99)]], "labels": []}, r"\[0\].vertexSet\[0\]: tokens \[0, 99\) lie outside"),
        ({"sents": [[1]]}, r"\[0\]"),
        ({"title": None}, r"\[0\].title: "),
    ],
)
def test_a_document_that_cannot_be_read_is_named(tmp_path, changes, reason):
    with pytest.raises(BadInput, match=f"made.json, {reason}"):
        read(tmp_path, DOCUMENT | changes)
