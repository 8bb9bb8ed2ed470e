"""`protorel evaluate documents`: raw documents in DocRED's format, with entities from a source or as annotated."""

from __future__ import annotations

import json

import pytest

from protorel.cli import run
from protorel.model import RelationModel


@pytest.fixture(scope="module")
def documents(finished_run, tmp_path_factory):
    """Two documents of one fact in a sentence and one across sentences."""
    relation = RelationModel.from_pretrained(finished_run).relations.ids[0]
    place = tmp_path_factory.mktemp("documents") / "made.json"
    made = [
        {
            "title": f"page {number}",
            "sents": [["Ada", "Kroll", "was", "born", "in", "Lunsk", "."], ["Bo", "Tarn", "left", "."]],
            "vertexSet": [
                [{"name": "", "sent_id": 0, "pos": [0, 2], "type": "PER"}],
                [{"name": "", "sent_id": 0, "pos": [5, 6], "type": "LOC"}],
                [{"name": "", "sent_id": 1, "pos": [0, 2], "type": "PER"}],
            ],
            "labels": [{"h": 0, "t": 1, "r": relation}, {"h": 0, "t": 2, "r": "another"}],
        }
        for number in range(2)
    ]
    place.write_text(json.dumps(made))
    return place


def test_annotated_mentions_and_names_are_evaluated(finished_run, documents, tmp_path, capsys):
    ask = ["evaluate", "documents", str(finished_run), str(documents)]
    assert run([*ask, "--entities", "given", "--json", str(tmp_path / "gold.json")]) == 0
    printed = capsys.readouterr()
    assert "4 facts of 2 documents; 50.00%" in printed.out
    assert "not calibrated" in printed.err
    assert "1 relations of the facts are not among the model's" in printed.err
    told = json.loads((tmp_path / "gold.json").read_text())
    assert told["entities"] == "given"
    assert told["counts"]["pairs"] == 12
    assert told["mentions"]["strict"]["found"]["value"] == 1
    assert told["mentions"]["strict"]["ceiling"]["value"] == 0.5
    assert [one["match"] for one in told["triples"]] == ["strict", "lenient"]
    (tmp_path / "names.tsv").write_text("Q1\tAda Kroll\nQ2\tLunsk\n")
    ask += ["--entities", f"names:{tmp_path / 'names.tsv'}", "--json", str(tmp_path / "names.json")]
    assert run([*ask, "--most-documents", "1"]) == 0
    told = json.loads((tmp_path / "names.json").read_text())
    assert (told["documents"], told["entities"]) == (1, "names:names.tsv")
    assert told["mentions"]["strict"]["found"]["value"] == pytest.approx(2 / 3)
    assert told["mentions"]["strict"]["found_by_type"] == {"LOC": 1.0, "PER": 0.5}
    assert told["mentions"]["strict"]["ceiling"]["value"] == 0.5


def test_bad_requests_are_refused(fails, finished_run, documents, tiny_encoder_folder, tmp_path):
    ask = ("evaluate", "documents", finished_run)
    assert "no such file" in fails(*ask, tmp_path / "nothing.json")
    assert "expected spacy[:PIPELINE]" in fails(*ask, documents, "--entities", "gold")
    assert "expected a model with relations" in fails("evaluate", "documents", tiny_encoder_folder, documents)
    (tmp_path / "other.json").write_text("{}")
    assert "expected DocRED's list of documents" in fails(*ask, tmp_path / "other.json", "--entities", "given")
    (tmp_path / "none.json").write_text("[]")
    assert "expected documents with facts, got none" in fails(*ask, tmp_path / "none.json", "--entities", "given")
