"""Each format holds what was found, whatever the text holds."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter

import networkx
import pyarrow.parquet as pq
import pytest
from tests.extraction.conftest import RuleModel

from protorel.extraction import FORMATS, Extractor, KnowledgeGraph, check_output, format_for, write_extractions
from protorel.statements import BadInput

HOSTILE = 'A"d,a;\r\nK\x01\x9b\u202e\u2028 <&]]>\x00🙂e\u0301'


def extractions():
    """Two texts with one fact, of entities with ids in the one and names alone in the other."""
    rule = lambda one: {"met": 0.9, "spouse": 0.3} if one.head.start < one.tail.start else {}  # noqa: E731
    extractor = Extractor(RuleModel(rule), entities="given")
    first = {
        "text": f"{HOSTILE} met Bo.",
        "document": 'd;1"\n',
        "entities": [
            {"start": 0, "stop": len(HOSTILE), "id": "Q\x021", "type": "P;X"},
            (len(HOSTILE) + 5, len(HOSTILE) + 7),
        ],
    }
    second = {
        "text": "ada met BO and Bo.",
        "document": "d2",
        "entities": [{"start": 0, "stop": 3, "id": "Q\x021"}, (8, 10)],
    }
    return list(extractor.pipe([first, second, "no entities"]))


@pytest.fixture
def found():
    return extractions()


def written(found, name, out=None):
    pieces: list[str] = []
    counts = write_extractions(found, name, out, say=pieces.append)
    return "".join(pieces), counts


def test_jsonl_is_one_object_per_text_with_the_fields_that_are_promised(found):
    text, _ = written(found, "jsonl")
    lines = text.split("\n")
    assert len(lines) == 4
    first, second, bad = map(json.loads, lines[:3])
    assert first["text"] == found[0].text
    assert first["triples"][0]["head"] == found[0].triples[0].head.as_json()
    assert list(first) == ["document", "text", "triples", "uncertain", "counts", "calibrated"]
    assert list(first["triples"][0]) == [
        "head", "tail", "relation", "probability", "reverse_probability", "evidence",
    ]  # fmt: skip
    assert second["uncertain"][0]["relation"] == "spouse"
    assert "entities: is missing" in bad["problem"]
    assert not set(text) & set("\x9b\u202e\u2028\x00\x01\r")


def test_csv_keeps_quotes_line_ends_and_nul(found):
    text, _ = written(found, "csv")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["relation"] for row in rows] == ["met", "spouse", "met", "spouse"]
    assert rows[0]["head"] == HOSTILE
    assert rows[0]["document"] == 'd;1"\n'
    assert (rows[0]["head_start"], rows[0]["probability"], rows[0]["asserted"]) == ("0", "0.9", "true")
    assert rows[1]["asserted"] == "false"
    assert json.loads(rows[0]["evidence"])[0]["relation"] == "met"
    assert rows[0]["tail_type"] == ""


def test_a_csv_of_nothing_has_its_header():
    text, _ = written([], "csv")
    assert text.startswith('"document","head","head_start"')


def test_parquet_has_typed_columns(found, tmp_path):
    written(found, "parquet", tmp_path / "triples.parquet")
    table = pq.read_table(tmp_path / "triples.parquet")
    assert table.num_rows == 4
    first = table.to_pylist()[0]
    assert (first["head"], first["head_start"], first["asserted"], first["head_id"]) == (HOSTILE, 0, True, "Q\x021")
    assert first["reverse_probability"] == 0.0
    assert str(table.schema.field("tail_stop").type) == "int64"


def test_a_graph_merges_entities_by_id_else_by_name_and_type_and_keeps_all_evidence(found):
    graph = KnowledgeGraph.of(found)
    assert [(one.id, one.type) for one in graph.entities] == [("Q\x021", "P;X"), (None, None)]
    [fact] = graph.facts
    assert fact.documents == ['d;1"\n', "d2"]
    assert [one["tail_start"] for one in fact.evidence] == [len(HOSTILE) + 5, 8]
    assert fact.probability == 0.9


def test_graphml_opens_in_networkx_and_counts_what_xml_cannot_hold(found, tmp_path):
    _, counts = written(found, "graphml", tmp_path / "graph.graphml")
    graph = networkx.read_graphml(tmp_path / "graph.graphml")
    [(head, tail, edge)] = graph.edges(data=True)
    assert edge["relation"] == "met"
    assert edge["probability"] == 0.9
    assert edge["statements"] == 2
    assert json.loads(edge["documents"]) == ['d;1"\n', "d2"]
    assert [one["document"] for one in json.loads(edge["evidence"])] == ['d;1"\n', "d2"]
    assert graph.nodes[head]["id"] == "Q\ufffd1"
    assert graph.nodes[tail]["name"] == "BO"
    assert counts["characters that XML cannot hold replaced by U+FFFD"] >= 2
    assert counts["uncertain triples left out of the graph"] == 2


def test_neo4j_files_have_one_line_per_row_and_typed_headers(found, tmp_path):
    written(found, "neo4j", tmp_path / "graph")
    nodes, relationships = (tmp_path / "graph" / name for name in ("nodes.csv", "relationships.csv"))
    assert len(nodes.read_bytes().split(b"\n")) == 4
    [entity, other] = csv.DictReader(io.StringIO(nodes.read_text()))
    assert entity["entityId:ID"] == "n0"
    assert entity[":LABEL"] == "Entity;P X"
    assert other[":LABEL"] == "Entity"
    [fact] = csv.DictReader(io.StringIO(relationships.read_text()))
    assert (fact[":START_ID"], fact[":END_ID"], fact[":TYPE"]) == ("n0", "n1", "met")
    assert float(fact["probability:double"]) == 0.9
    assert fact["documents:string[]"] == 'd 1";d2'
    assert len(json.loads(fact["evidence"])) == 2


def test_the_table_marks_uncertain_triples_and_says_where_there_are_none(found):
    text, _ = written([found[1], *_without()], "table")
    assert "ada" in text
    assert "uncertain" in text
    assert text.endswith("page: no triples\n")


def _without():
    return Extractor(RuleModel(lambda _: {}), entities="given").pipe(
        [{"text": "x", "document": "page", "entities": []}]
    )


def test_two_runs_write_the_same_bytes(tmp_path):
    for name, chosen in FORMATS.items():
        for turn in "ab":
            written(extractions(), name, tmp_path / f"{name}{turn}")
        one, other = (tmp_path / f"{name}{turn}" for turn in "ab")
        if chosen.target == "folder":
            one, other = one / "nodes.csv", other / "nodes.csv"
        assert one.read_bytes() == other.read_bytes()


def test_a_format_is_chosen_by_suffix_and_refused_where_it_cannot_be_written(tmp_path):
    assert format_for(tmp_path / "a.CSV") == "csv"
    assert format_for(tmp_path / "a.txt") == format_for(None) == "table"
    with pytest.raises(BadInput, match=r"got 'josnl'\. Did you mean 'jsonl'"):
        check_output("josnl", None)
    with pytest.raises(BadInput, match="--format parquet: expected --out with the name of a file"):
        check_output("parquet", None)
    with pytest.raises(BadInput, match="exists already"):
        check_output("neo4j", tmp_path)
    with pytest.raises(BadInput, match="expected a file name, got a folder"):
        check_output("jsonl", tmp_path)


def test_a_format_that_fails_leaves_no_file(tmp_path):
    def broken():
        yield extractions()[0]
        raise BadInput("cannot go on")

    for name, chosen in FORMATS.items():
        with pytest.raises(BadInput):
            write_extractions(broken(), name, tmp_path / name, say=Counter().__getitem__)
        assert chosen
    assert list(tmp_path.iterdir()) == []
