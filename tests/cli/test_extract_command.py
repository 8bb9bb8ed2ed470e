"""`protorel extract`: answers alone on standard output, all else on standard error."""

from __future__ import annotations

import io
import json
import sys
from typing import get_args

import pytest

from protorel.cli import run
from protorel.cli.extract import Format
from protorel.extraction import FORMATS
from protorel.model import Prediction, RelationModel

TEXT = "Ada Kroll was born in Lunsk."
SPANS = [{"start": 0, "stop": 9, "text": "Ada Kroll"}, {"start": 22, "stop": 27, "text": "Lunsk"}]


@pytest.fixture
def texts(tmp_path):
    """A file of texts, each a row; returns its path."""

    def write(*rows):
        path = tmp_path / "texts.jsonl"
        path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows))
        return str(path)

    return write


@pytest.fixture
def born_in(monkeypatch):
    """Models answer by a rule: what comes first was born in what comes next."""

    def predict(self, statements, *, among=None, top=3):
        names = among or self.relations.ids

        def answer(one):
            sure = 0.9 if one.head.start < one.tail.start else 0.1
            return Prediction(names[0], sure, (), ((names[0], sure),), 1 - sure, 1 - sure, calibrated=True)

        return [answer(one) for one in statements]

    monkeypatch.setattr(RelationModel, "predict", predict)


@pytest.fixture
def extract(finished_run, capsys):
    def of(*arguments):
        code = run(["extract", str(finished_run), *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return of


def test_every_format_of_the_registry_can_be_named():
    assert set(get_args(Format)) == set(FORMATS)


def test_a_trained_run_answers_about_every_pair(extract, texts):
    code, out, err = extract(texts({"text": TEXT, "entities": SPANS}), "--format", "jsonl")
    assert code == 0, err
    [found] = map(json.loads, out.splitlines())
    assert found["counts"]["pairs"] == 2
    assert found["counts"]["none"] + found["counts"]["answered"] == 2
    assert found["calibrated"] is False
    assert "note: 2 entities, 2 ordered pairs" in err
    assert "note: the probabilities are not calibrated" in err


def test_a_sentence_gives_a_table_and_notes_go_to_standard_error(extract, born_in):
    code, out, err = extract("Marie Curie was born in Warsaw.")
    assert code == 0, err
    assert "Marie Curie" in out
    assert "0.90" in out
    assert "note" not in out
    assert err.splitlines() == [
        "note: 2 entities, 2 ordered pairs (1 without a relation, 1 with an answer): 1 asserted, 0 uncertain"
    ]


def test_a_text_file_is_one_text_with_its_name(extract, born_in, tmp_path):
    (tmp_path / "page.txt").write_text(f"{TEXT}\n\nMarie Curie was born in Warsaw.", encoding="utf-8")
    code, out, _ = extract(str(tmp_path / "page.txt"), "--format", "jsonl")
    assert code == 0
    [found] = map(json.loads, out.splitlines())
    assert found["document"] == "page.txt"
    assert found["counts"]["asserted"] >= 1


def test_standard_input_is_one_text(extract, born_in, monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(b"Marie Curie was born in Warsaw."))
    monkeypatch.setattr(sys, "stdin", stdin)
    code, out, _ = extract("-", "--format", "csv")
    assert code == 0
    assert '"Marie Curie",0,11,"PERSON"' in out


def test_a_bad_line_is_reported_the_rest_is_written_and_the_exit_code_says_so(extract, born_in, texts, tmp_path):
    wrong = {"text": TEXT, "entities": [{"start": 0, "stop": 2, "text": "Ada Kroll"}], "document": "two"}
    path = texts({"text": TEXT, "entities": SPANS}, "{\n", wrong, '{"txt": 1}\n', {"text": TEXT, "entities": SPANS})
    code, out, err = extract(path, "--out", str(tmp_path / "out.jsonl"))
    assert code == 1
    assert out == ""
    lines = err.splitlines()
    assert "texts.jsonl, line 2: is not valid JSON" in lines[0]
    assert "line 3: entities[0]: expected offsets in characters, got offsets in tokens" in lines[1]
    assert "line 4: text: is missing" in lines[2]
    assert lines[-1] == "protorel: 3 of 5 texts could not be used"
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [len(one["triples"]) for one in found] == [1, 0, 0, 0, 1]
    assert [one["document"] for one in found] == [f"texts.jsonl:{number}" for number in range(1, 6)]


def test_a_file_without_a_usable_text_is_bad_input(extract, texts):
    code, _, err = extract(texts("nonsense\n"))
    assert code == 2
    assert err.splitlines()[-1] == "protorel: 1 of 1 texts could not be used"


def test_an_empty_file_is_bad_input(extract, texts, tmp_path):
    code, _, err = extract(texts("\n", "  \n"), "--out", str(tmp_path / "new.jsonl"))
    assert code == 2
    assert "expected one text per line, got an empty file" in err
    assert not (tmp_path / "new.jsonl").exists()


def test_an_interrupted_extraction_leaves_no_file_and_says_so(extract, texts, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(RelationModel, "predict", interrupted)
    code, _, err = extract(texts({"text": TEXT, "entities": SPANS}), "--out", str(tmp_path / "new.jsonl"))
    assert code == 130
    assert "new.jsonl is not written" in err
    assert not (tmp_path / "new.jsonl").exists()


def test_a_single_text_that_cannot_be_used_is_one_line(extract, tmp_path):
    (tmp_path / "latin.txt").write_bytes("Zoë".encode("latin-1"))
    code, out, err = extract(str(tmp_path / "latin.txt"))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert "cannot be read as text" in err


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_can_be_written(extract, born_in, texts, tmp_path, format):
    path = texts({"text": TEXT, "entities": SPANS})
    code, out, err = extract(path, "--format", format, "--out", str(tmp_path / "out"))
    assert code == 0, err
    assert out == ""
    assert (tmp_path / "out").exists()


def test_a_schema_of_another_model_is_refused_with_a_hint(extract, texts, tmp_path):
    (tmp_path / "schema.yaml").write_text("nosuch_relation: {symmetric: true}\n")
    code, _, err = extract(texts({"text": TEXT}), "--schema", str(tmp_path / "schema.yaml"))
    assert code == 2
    assert "schema.yaml: expected relations of the model, got 'nosuch_relation'" in err


def test_a_relation_that_the_model_lacks_is_refused(extract, texts):
    code, _, err = extract(texts({"text": TEXT}), "--among", "nosuch_relation")
    assert code == 2
    assert "got 'nosuch_relation'" in err


def test_a_precision_is_refused_by_a_run_without_calibration(extract, texts):
    code, _, err = extract(texts({"text": TEXT}), "--min-precision", "0.9")
    assert code == 2
    assert "calibrat" in err


def test_a_wider_window_finds_pairs_of_two_sentences(extract, born_in, texts):
    text = "Ada came. Bo went."
    spans = [[0, 3], [10, 12]]
    for window, count in (("1", 0), ("2", 1)):
        _, out, _ = extract(texts({"text": text, "entities": spans}), "--window", window, "--format", "jsonl")
        assert json.loads(out)["counts"]["asserted"] == count
