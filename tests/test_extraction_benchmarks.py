"""Speed of extraction, and peers by stand-ins with the calls of GLiREL 1.2, GLiNER2 2.1 and ReLiK 1.0."""
# ruff: noqa: ARG002 - the stand-ins have the parameters of the real calls

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import torch

PEERS = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks" / "extract_peers.py"))
TEXTS = ("Ada Kroll was born in Lunsk .", "Nothing was said .", "Lunsk lies in Tarnia .")
BORN, IN = "P19", "P17"
NAMES = {"place of birth": BORN, "country": IN}


@pytest.fixture
def documents(tmp_path):
    def mention(sentence, start, stop):
        return {"name": "", "sent_id": sentence, "pos": [start, stop], "type": "PER"}

    made = {
        "title": "page",
        "sents": [text.split() for text in TEXTS],
        "vertexSet": [[mention(0, 0, 2)], [mention(0, 5, 6), mention(2, 0, 1)], [mention(2, 3, 4)]],
        "labels": [{"h": 0, "t": 1, "r": BORN}, {"h": 1, "t": 2, "r": IN}],
    }
    place = tmp_path / "made.json"
    place.write_text(json.dumps([made, made | {"title": "again"}]))
    return place


class GLiREL:
    """Answers with the first two mentions of a sentence; the last token of a given mention is included."""

    def batch_predict_relations(
        self, texts, labels, flat_ner=True, threshold=0.5, ner=None, ground_truth_relations=None, top_k=-1
    ):
        assert sorted(labels) == sorted(NAMES)
        found = []
        for tokens, mentions in zip(texts, ner, strict=True):
            assert [" ".join(tokens[first : last + 1]) for first, last, *_ in mentions] == [one[3] for one in mentions]
            head, tail = ([first, last + 1] for first, last, *_ in mentions[:2])
            label = "place of birth" if "born" in tokens else "country"
            found.append([{"head_pos": head, "tail_pos": tail, "label": label, "score": 0.9}])
            found[-1].append({"head_pos": tail, "tail_pos": head, "label": label, "score": 0.8})
        return found


class GLiNER2:
    """Finds the birth alone."""

    def batch_extract_relations(
        self, texts, relation_types, batch_size=8, threshold=0.5, format_results=True, include_confidence=False,
        include_spans=False,
    ):  # fmt: skip
        assert include_confidence
        assert include_spans
        found = {"head": {"text": "Ada Kroll", "start": 0, "end": 9, "confidence": 0.9}}
        found |= {"tail": {"text": "Lunsk", "start": 22, "end": 27, "confidence": 0.7}}
        return [
            {"relation_extraction": {name: [found] if name == "place of birth" and text == TEXTS[0] else []
                                     for name in relation_types}}
            for text in texts
        ]  # fmt: skip


class Relik:
    """Finds the country with a longer mention, and a relation that nobody asked for."""

    def __call__(self, text, annotation_type="char"):
        def span(start, end):
            return SimpleNamespace(start=start, end=end, label="--NME--", text="")

        def triplets(one):
            if one != TEXTS[2]:
                return []
            ends = {"subject": span(0, 5), "object": span(11, 20)}
            return [SimpleNamespace(**ends, label=label, confidence=0.9) for label in ("country", "made of")]

        found = [SimpleNamespace(id=number, triplets=triplets(one)) for number, one in enumerate(text)]
        return found[0] if len(found) == 1 else found


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """The three packages and a folder of weights."""
    for name, kind in (("glirel", GLiREL), ("gliner2", GLiNER2), ("relik", Relik)):
        loaded = SimpleNamespace(from_pretrained=lambda folder, kind=kind: kind() if Path(folder).is_dir() else None)
        module = ModuleType(name)
        setattr(module, kind.__name__, loaded)
        monkeypatch.setitem(sys.modules, name, module)
    (tmp_path / "weights").mkdir()
    return [part for name in ("glirel", "gliner2", "relik") for part in (f"--{name}", str(tmp_path / "weights"))]


def counts(tool, match="strict"):
    scores = tool[match]["in_sentence"]
    return scores["asserted"], scores["right"], scores["gold"]


def test_speed_is_measured_by_threads_next_to_pairs_one_by_one(documents, tmp_path, capsys):
    before = torch.get_num_threads()
    main = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks" / "extraction_speed.py"))["main"]
    options = ["--documents", "2", "--rounds", "2", "--one-by-one", "3", "--json", str(tmp_path / "speed.json")]
    try:
        main([str(documents), *options])
    finally:
        torch.set_num_threads(before)
    told = json.loads((tmp_path / "speed.json").read_text())
    assert (told["documents"], told["sentences"], list(told["threads"])) == (2, 6, ["1", "2"])
    for figures in told["threads"].values():
        assert (figures["given"]["pairs"], figures["one_by_one"]["pairs"]) == (
            8,
            3,
        )  # two pairs, both orders, two texts
        for name in ("given", "spacy", "one_by_one", "spacy_alone"):
            assert len(figures[name]["seconds"]) == 2
        rate = figures["given"]["pairs_per_second"]
        assert 0 < rate["lowest"] <= rate["median"] <= rate["highest"]
        assert figures["ratio"]["given_to_one_by_one"]["median"] > 0
        assert figures["ratio"]["given_to_one_by_one_processor"]["median"] > 0
    assert set(told["load_average"]) == {"before", "after", "shared"}
    assert capsys.readouterr().out.count("pairs by Extractor over pairs one by one") == 2


def test_every_tool_is_scored_on_the_same_sentences(documents, installed, tmp_path, capsys):
    PEERS["main"]([str(documents), *installed, "--json", str(tmp_path / "found.json")])
    told = json.loads((tmp_path / "found.json").read_text())
    assert (told["documents"], told["sentences"], told["relations"]) == (2, 6, [IN, BORN])
    tools = told["tools"]
    assert list(tools) == ["protorel-small", "GLiREL", "GLiNER2", "ReLiK"]
    # Two documents of two facts: both orders, one fact of two, and one that is right by overlap alone.
    assert counts(tools["GLiREL"]) == (8, 4, 4)
    assert counts(tools["GLiNER2"]) == (2, 2, 4)
    assert counts(tools["ReLiK"]) == (2, 0, 4)
    assert counts(tools["ReLiK"], "lenient") == (2, 2, 4)
    assert counts(tools["protorel-small"])[2] == 4
    assert tools["GLiREL"]["mentions"] == tools["protorel-small"]["mentions"] == "annotated"
    printed = capsys.readouterr().out
    assert "GLiREL, mentions annotated: strict P 50.0 ± 0.0, R 100.0 ± 0.0" in printed
    assert "ReLiK, mentions its own: strict P 0.0" in printed


def test_what_is_absent_is_not_run_and_one_line_says_why(documents, installed, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "gliner2", None)
    options = ["--gliner2", str(tmp_path / "weights"), "--relik", str(tmp_path / "nothing"), "--most-documents", "1"]
    PEERS["main"]([str(documents), *options, "--json", str(tmp_path / "found.json")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "GLiREL: not run: no weights given (--glirel FOLDER)"
    assert lines[3].startswith("GLiNER2: not run: its package cannot be imported (")
    assert lines[3].endswith("; pip install gliner2")
    assert lines[4] == f"ReLiK: not run: --relik {tmp_path / 'nothing'}: no such folder"
    tools = json.loads((tmp_path / "found.json").read_text())["tools"]
    assert all("not_run" in tools[name] for name in ("GLiREL", "GLiNER2", "ReLiK"))
    assert "strict" in tools["protorel-small"]
