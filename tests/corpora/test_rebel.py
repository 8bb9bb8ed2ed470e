from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from protorel.corpora import Reject, read_rebel
from protorel.statements import Span, Statement

TEXT = "A list of painters.\n\nAda Kroll was born in Lunsk. She left it in 1931.\nLater she met Bela Tarn."


def entity(form: str, uri: str | None) -> dict:
    start = TEXT.index(form)
    return {"uri": uri, "boundaries": [start, start + len(form)], "surfaceform": form, "annotator": "Me"}


def triple(subject: object, object: object, relation: object = "P19") -> dict:
    return {
        "subject": subject,
        "predicate": {"uri": relation, "boundaries": None, "surfaceform": "x"},
        "object": object,
    }


KROLL, LUNSK, TARN = entity("Ada Kroll", "Q1"), entity("Lunsk", "Q2"), entity("Bela Tarn", "Q3")
GOOD = triple(KROLL, LUNSK)


def page(*triples: object, **changes: object) -> dict:
    return {"docid": "7", "title": "Ada Kroll", "uri": "Q1", "text": TEXT, "entities": [], "triples": triples} | changes


def rows_of(folder: Path, *lines: object) -> list[Statement | Reject]:
    written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / "made.jsonl").write_text("\n".join(written))
    return list(read_rebel(folder / "made.jsonl"))


def test_the_text_of_a_statement_is_the_paragraph_with_its_spans_moved(tmp_path):
    [row] = rows_of(tmp_path, page(GOOD))
    assert row == Statement(
        "Ada Kroll was born in Lunsk. She left it in 1931.",
        Span(0, 9), Span(22, 27), "P19", "made:1-0", "Q1", "Q2", document="Ada Kroll", source="rebel",
    )  # fmt: skip


@pytest.mark.parametrize("swapped", [False, True])
def test_entities_in_two_paragraphs_give_both_paragraphs(tmp_path, swapped):
    [row] = rows_of(tmp_path, page(triple(TARN, KROLL) if swapped else triple(KROLL, TARN)))
    assert row.text == "Ada Kroll was born in Lunsk. She left it in 1931.\nLater she met Bela Tarn."
    assert [row.head_text, row.tail_text] == (["Bela Tarn", "Ada Kroll"] if swapped else ["Ada Kroll", "Bela Tarn"])


def test_a_date_has_a_type_and_no_id(tmp_path):
    date = entity("1931", "1931-01-01T00:00:00Z^^http://www.w3.org/2001/XMLSchema#dateTime")
    [row] = rows_of(tmp_path, page(triple(date, KROLL)))
    assert (row.head_text, row.head_id, row.head_type) == ("1931", None, "dateTime")
    assert (row.tail_id, row.tail_type) == ("Q1", None)


@pytest.mark.parametrize("uri", ["", "None", None, "Qx", "Q1x", "http://elsewhere/Q1"])
def test_what_is_no_id_of_wikidata_is_none(tmp_path, uri):
    [row] = rows_of(tmp_path, page(triple(entity("Lunsk", uri), KROLL)))
    assert (row.head_id, row.head_type) == (None, None)


@pytest.mark.parametrize(
    ("changes", "document"), [({}, "Ada Kroll"), ({"title": ""}, "7"), ({"title": None, "docid": None}, None)]
)
def test_the_document_is_the_title_or_else_the_number(tmp_path, changes, document):
    [row] = rows_of(tmp_path, page(GOOD, **changes))
    assert row.document == document


def test_every_triple_is_a_row_and_a_page_without_triples_has_none(tmp_path):
    rows = rows_of(tmp_path, page(), page(GOOD, triple(LUNSK, KROLL, "P1")), "", page(GOOD))
    assert [row.id for row in rows] == ["made:2-0", "made:2-1", "made:4-0"]


@pytest.mark.parametrize(
    ("bad", "field", "reason"),
    [
        (triple(KROLL | {"boundaries": [22, 31]}, LUNSK), ".subject.boundaries",
         "expected the surface form 'Ada Kroll', got 'da Kroll ' at [22, 31)"),
        (triple(KROLL, LUNSK | {"surfaceform": "lunsk"}), ".object.boundaries", "expected the surface form 'lunsk'"),
        (triple(KROLL, TARN | {"boundaries": [-10, -1]}), ".object.boundaries", "got 'Bela Tarn' at [-10, -1)"),
        (triple(KROLL | {"boundaries": None}, LUNSK), ".subject.boundaries", "a list of whole numbers, got null"),
        (triple(KROLL | {"boundaries": [1]}, LUNSK), ".subject.boundaries", "expected [start, stop), got a list of 1"),
        (triple(KROLL | {"boundaries": [5, 5], "surfaceform": ""}, LUNSK), ".subject.surfaceform", "is empty"),
        (triple(KROLL | {"uri": 4}, LUNSK), ".subject.uri", "got the number 4"),
        (triple({}, LUNSK), ".subject.uri", "is missing"),
        (triple("Ada", LUNSK), ".subject", "an object with uri, boundaries and surfaceform, got the text 'Ada'"),
        (triple(KROLL, KROLL), ".object", "is the same span as the head"),
        (triple(KROLL, LUNSK, None), ".predicate.uri", "expected text, got null"),
        (triple(KROLL, LUNSK, ""), ".predicate.uri", "got an empty name"),
        ({"subject": KROLL, "object": LUNSK}, ".predicate", "is missing"),
        (None, "", "expected an object with subject, predicate and object, got null"),
    ],
)  # fmt: skip
def test_a_triple_that_is_no_statement_is_rejected_by_its_place(tmp_path, bad, field, reason):
    first, second = rows_of(tmp_path, page(bad, GOOD))
    assert second.id == "made:1-1"
    assert (first.file, first.line, first.field) == ("made.jsonl", 1, f"triples[0]{field}")
    assert reason in first.reason


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        ('{"text": "', "line", "is not valid JSON"),
        ("3", "line", "expected an object with text and triples, got the number 3"),
        ({"text": "x"}, "triples", "is missing"),
        (page(triples=GOOD), "triples", "expected a list of triples, got an object"),
        (page(text=["x"]), "text", "expected text, got a list of 1"),
        (page(title=5), "title", "expected text, got the number 5"),
    ],
)
def test_a_line_that_cannot_be_read_is_one_reject(tmp_path, line, field, reason):
    bad, good = rows_of(tmp_path, line, page(GOOD))
    assert isinstance(good, Statement)
    assert (bad.line, bad.field) == (1, field)
    assert reason in bad.reason


def test_of_2868_real_triples_2457_slice_to_their_forms_and_9_of_those_have_one_span_for_both(real_data):
    rows = list(read_rebel(real_data / "distant" / "rebel_sample" / "sample.jsonl"))
    taken = [row for row in rows if isinstance(row, Statement)]
    assert (len(rows), len(taken)) == (2868, 2448)
    kinds = Counter("same" if "the same span" in row.reason else "form" for row in rows if isinstance(row, Reject))
    assert kinds == {"same": 9, "form": 411}
    # The sample has 186 relations, 10 of them only in triples whose spans are wrong.
    assert len({row.relation for row in taken}) == 176
    assert {kind for row in taken for kind in (row.head_type, row.tail_type)} == {None, "dateTime", "decimal"}
    assert max(len(row.text) for row in taken) < 3600
