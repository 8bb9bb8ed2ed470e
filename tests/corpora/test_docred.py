from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from protorel.corpora import FORMATS, Reject, read_docred, read_docred_evidence, read_rows
from protorel.statements import BadInput, Span, Statement


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
    "labels": [{"h": KROLL, "t": LUNSK, "r": "P19", "evidence": [0]}],
}


def rows_of(folder: Path, documents: object) -> list[Statement | Reject]:
    (folder / "made.json").write_text(json.dumps(documents))
    return list(read_docred(folder / "made.json"))


def with_facts(*facts: object) -> list[dict]:
    return [DOCUMENT | {"labels": list(facts)}]


def fact(head: object, tail: object, relation: object = "P19", **rest: object) -> dict:
    return {"h": head, "t": tail, "r": relation} | rest


def test_a_fact_inside_one_sentence_becomes_a_statement_with_types_and_document(tmp_path):
    [row] = rows_of(tmp_path, [DOCUMENT])
    assert row == Statement(
        "Ada Kroll was born in Lunsk .", Span(0, 9), Span(22, 27), "P19", "made:0-0",
        head_type="PER", tail_type="LOC", document="Ada Kroll", source="docred",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("evidence", "text"),
    [
        ([0], "Ada Kroll was"),
        ([1], "Kroll left"),
        ([2, 1], "Kroll left"),
        ([1, 0], "Ada Kroll was"),
        ([2], "Ada Kroll was"),
        ([], "Ada Kroll was"),
        (None, "Ada Kroll was"),
        ([77], "Ada Kroll was"),
    ],
)
def test_the_first_sentence_of_the_evidence_is_taken_and_else_the_first_that_holds_both(tmp_path, evidence, text):
    [row] = rows_of(tmp_path, with_facts(fact(KROLL, LUNSK, evidence=evidence)))
    assert row.text.startswith(text)


def test_without_evidence_at_all_the_first_sentence_is_taken(tmp_path):
    [row] = rows_of(tmp_path, with_facts(fact(LUNSK, KROLL)))
    assert (row.head_text, row.tail_text) == ("Lunsk", "Ada Kroll")


def test_of_several_mentions_in_the_sentence_the_first_is_taken(tmp_path):
    [row] = rows_of(tmp_path, with_facts(fact(KROLL, TARN)))
    assert (row.head, row.head_text) == (Span(0, 5), "Kroll")
    assert row.tail_text == "Bela Tarn"


@pytest.mark.parametrize("swapped", [False, True])
def test_a_mention_that_two_entities_share_stands_for_one_of_them(tmp_path, swapped):
    document = copy.deepcopy(DOCUMENT)
    document["vertexSet"][TARN] = [mention(1, 0, 1), mention(1, 0, 1, "ORG"), mention(1, 6, 8)]
    document["vertexSet"][KROLL] = [mention(1, 0, 1)]
    document["labels"] = [fact(TARN, KROLL) if swapped else fact(KROLL, TARN)]
    [row] = rows_of(tmp_path, [document])
    assert {row.head_text, row.tail_text} == {"Kroll", "Bela Tarn"}
    assert (row.head_text == "Kroll") is not swapped


def test_a_fact_that_takes_two_sentences_is_rejected_and_its_number_is_not_given_again(tmp_path):
    rows = rows_of(tmp_path, with_facts(fact(KROLL, LUNSK), fact(KROLL, MERE), fact(LUNSK, KROLL)))
    assert [row.id for row in rows if isinstance(row, Statement)] == ["made:0-0", "made:0-2"]
    assert (rows[1].file, rows[1].line, rows[1].field) == ("made.json", None, "[0].labels[1]")
    assert rows[1].reason == "expected a sentence with both entities, got none"


@pytest.mark.parametrize(
    ("bad", "field", "reason"),
    [
        (fact(4, LUNSK), ".h", "expected an entity below 4, got 4"),
        (fact(KROLL, -1), ".t", "expected an entity below 4, got -1"),
        (fact(True, LUNSK), ".h", "expected a whole number, got true"),
        (fact("0", LUNSK), ".h", "expected a whole number, got the text '0'"),
        (fact(LUNSK, LUNSK), ".t", "is the same span as the head"),
        (fact(KROLL, LUNSK, 19), ".r", "expected text, got the number 19"),
        (fact(KROLL, LUNSK, ""), ".r", "got an empty name"),
        (fact(KROLL, LUNSK, evidence=0), ".evidence", "expected a list of whole numbers, got the number 0"),
        (fact(KROLL, LUNSK, evidence=["0"]), ".evidence[0]", "expected a whole number, got the text '0'"),
        ({"h": 0, "t": 1}, ".r", "is missing"),
        ([0, 1, "P19"], "", "expected an object with h, t and r, got a list of 3"),
    ],
)
def test_a_bad_fact_is_rejected_by_its_place_and_the_next_one_is_read(tmp_path, bad, field, reason):
    first, second = rows_of(tmp_path, with_facts(bad, fact(KROLL, LUNSK)))
    assert isinstance(second, Statement)
    assert (first.field, reason in first.reason) == (f"[0].labels[0]{field}", True), first
    assert first.content


@pytest.mark.parametrize(
    ("entity", "reason"),
    [
        ("Ada", "vertexSet[0]: expected a list of mentions, got the text 'Ada'"),
        ([3], "vertexSet[0][0]: expected an object with sent_id and pos, got the number 3"),
        ([{"pos": [0, 2]}], "vertexSet[0][0].sent_id: is missing"),
        ([mention(3, 0, 1)], "vertexSet[0][0].sent_id: expected a sentence below 3, got 3"),
        ([mention(-1, 0, 1)], "vertexSet[0][0].sent_id: expected a sentence below 3, got -1"),
        ([{"sent_id": 0, "pos": [0]}], "vertexSet[0][0].pos: expected [start, stop), got a list of 1"),
        ([{"sent_id": 0, "pos": [0, 1], "type": 1}], "vertexSet[0][0].type: expected text, got the number 1"),
        ([mention(0, 0, 8)], "tokens [0, 8) lie outside the sentence, which has 7 tokens"),
        ([mention(0, 2, 1)], "tokens [2, 1) are empty"),
        ([], "expected a sentence with both entities, got none"),
    ],
)
def test_a_bad_entity_costs_its_own_facts_only(tmp_path, entity, reason):
    document = copy.deepcopy(DOCUMENT)
    document["vertexSet"][KROLL] = entity
    document["labels"] = [fact(KROLL, LUNSK), fact(LUNSK, TARN)]
    bad, good = rows_of(tmp_path, [document])
    assert good.tail_text == "Bela Tarn"
    assert bad.field in ("[0].labels[0]", "[0].labels[0].h")
    assert bad.reason.startswith(reason)


def test_a_bad_sentence_costs_its_own_facts_only(tmp_path):
    document = copy.deepcopy(DOCUMENT)
    document["sents"][0] = ["Ada", None]
    document["labels"] = [fact(KROLL, LUNSK), fact(LUNSK, TARN)]
    bad, good = rows_of(tmp_path, [document])
    assert isinstance(good, Statement)
    assert (bad.field, bad.reason) == ("[0].labels[0]", "sents[0][1]: expected text, got null")


@pytest.mark.parametrize(
    ("bad", "field", "reason"),
    [
        ("Ada", "[0]", "expected an object with title, sents, vertexSet and labels, got the text 'Ada'"),
        ({name: value for name, value in DOCUMENT.items() if name != "labels"}, "[0].labels", "is missing"),
        (DOCUMENT | {"title": 5}, "[0].title", "got the number 5"),
        (DOCUMENT | {"sents": {}}, "[0].sents", "expected a list of sentences, got an object"),
        (
            DOCUMENT | {"vertexSet": None},
            "[0].vertexSet",
            "expected a list of entities, each a list of mentions, got null",
        ),
        (DOCUMENT | {"labels": "P19"}, "[0].labels", "expected a list of facts, got the text 'P19'"),
    ],
)
def test_a_bad_document_is_one_reject(tmp_path, bad, field, reason):
    first, second = rows_of(tmp_path, [bad, DOCUMENT])
    assert second.id == "made:1-0"
    assert (first.field, reason in first.reason) == (field, True)


def test_a_file_that_is_no_list_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match=r"made\.json: expected DocRED's list of documents, got an object"):
        rows_of(tmp_path, DOCUMENT)


def test_the_real_files_hold_34732_facts_of_which_16138_stand_in_one_sentence(real_data):
    names = ("dev_revised.json", "test_revised.json")
    files = [real_data / "distant" / "redocred" / name for name in names]
    rows = list(read_rows(files, FORMATS["docred"]))
    taken = [row for row in rows if isinstance(row, Statement)]
    assert (len(rows), len(taken)) == (34_732, 16_138)
    assert {row.reason for row in rows if isinstance(row, Reject)} == {
        "expected a sentence with both entities, got none"
    }
    assert len({row.id for row in taken}) == 16_138
    # Each file has 95 relations, the two together 96; the first has two that never stand in one sentence.
    by_file = [{row.relation for row in taken if row.id.startswith(name.removesuffix(".json"))} for name in names]
    assert ([len(found) for found in by_file], len(set.union(*by_file))) == ([93, 95], 96)
    assert {row.head_type for row in taken} == {"LOC", "MISC", "NUM", "ORG", "PER", "TIME"}


def judged_of(folder: Path, *facts: object) -> list[Statement | Reject]:
    (folder / "made.json").write_text(json.dumps(with_facts(*facts)))
    return list(read_docred_evidence(folder / "made.json"))


@pytest.mark.parametrize(("evidence", "expresses"), [([0], [True, False]), ([1, 2], [False, True]), ([2], [False] * 2)])
def test_for_its_evidence_a_fact_becomes_a_judged_statement_in_every_sentence_with_both(evidence, expresses, tmp_path):
    rows = judged_of(tmp_path, fact(KROLL, LUNSK, evidence=evidence))
    assert [row.expresses for row in rows] == expresses
    assert [(row.id, row.head_text, row.tail_text) for row in rows] == [
        ("made:0-0-0", "Ada Kroll", "Lunsk"),
        ("made:0-0-1", "Kroll", "Lunsk"),
    ]


def test_a_fact_that_nobody_judged_is_rejected_and_those_beside_it_are_not(tmp_path):
    facts = [fact(KROLL, LUNSK), fact(KROLL, LUNSK, evidence=[]), fact(KROLL, MERE, evidence=[2])]
    *rejects, kept = judged_of(tmp_path, *facts, fact(KROLL, TARN, "P26", evidence=[1]))
    reasons = [reject.reason for reject in rejects]
    assert reasons == ["expected evidence that names the sentences expressing the fact, got none"] * 2 + [
        "expected a sentence with both entities, got none"
    ]
    assert [reject.field for reject in rejects] == [f"[0].labels[{index}]" for index in range(3)]
    assert (kept.relation, kept.expresses) == ("P26", True)


def test_a_fact_whose_relation_cannot_be_read_gives_one_reject_and_no_half(tmp_path):
    [reject] = judged_of(tmp_path, fact(KROLL, LUNSK, 19, evidence=[0]))
    assert isinstance(reject, Reject)
    assert reject.field == "[0].labels[0].r"


def test_real_evidence_has_facts_and_mere_mentions(real_data):
    path = real_data / "distant" / "redocred" / "dev_revised.json"
    judged = [row for row in read_docred_evidence(path) if isinstance(row, Statement)]
    plain = [row for row in read_docred(path) if isinstance(row, Statement)]
    found = {row.id.rsplit("-", 1)[0] for row in judged}
    assert found < {row.id for row in plain}
    assert {row.expresses for row in judged} == {True, False}


def test_a_fact_with_one_sentence_that_cannot_be_read_is_rejected_whole(tmp_path):
    spoilt = copy.deepcopy(DOCUMENT)
    spoilt["sents"][1] = ["Kroll", 7]
    (tmp_path / "made.json").write_text(json.dumps([spoilt]))
    [reject] = read_docred_evidence(tmp_path / "made.json")
    assert isinstance(reject, Reject)
    assert "sents[1]" in reject.reason
