"""A model on natural pairs, from statements to figures."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from protorel.encoders import CNNEncoder, word_tokenizer
from protorel.evaluation import BaselineData, ExtractionSettings, UnseenSettings, evaluate_extraction
from protorel.evaluation.extraction.scored_pairs import natural_pairs, score_natural_pairs
from protorel.geometry import Prototypes
from protorel.io import write_json
from protorel.model import RelationModel
from protorel.statements import BadInput, DataSet, Descriptions, Relation, RelationVocabulary, Statement

PERSONS = ["ada", "bela", "cora", "dora", "emil", "fritz", "gerd", "hans"]
TOWNS = ["lunsk", "oster", "mere", "tarn"]
VERBS = {"born_in": "was born in", "died_in": "died in", "no_relation": "once saw"}
RELATIONS = RelationVocabulary([Relation("born_in", "born in"), Relation("died_in", "died in")])


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """No test reads or fills a user's cache."""
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def rows() -> list[Statement]:
    """Statements in both orders: one pair in three holds a relation."""
    found = []
    for number, (person, town) in enumerate((person, town) for person in PERSONS for town in TOWNS):
        for place, (relation, verb) in enumerate(VERBS.items()):
            text = f"{person} {verb} {town}"
            head, tail = (0, len(person)), (len(text) - len(town), len(text))
            document, ids = f"d{number % 10}", (f"f:{number % 10}#{number}-{place}", f"f:{number % 10}#{number}")
            found.append(Statement(text, head, tail, relation, "", *ids, "PER", "LOC", document=document))
            found.append(Statement(text, tail, head, "no_relation", "", *ids[::-1], "LOC", "PER", document=document))
    return found


@pytest.fixture
def data(rows) -> DataSet:
    return DataSet.of("mine", rows)


@pytest.fixture
def model(rows) -> RelationModel:
    """A model whose prototypes are the means of its relations' statements, calibrated on them."""
    torch.manual_seed(0)
    tokenizer = word_tokenizer([*PERSONS, *TOWNS, "was", "born", "in", "died", "once", "saw"])
    encoder = CNNEncoder(words=tokenizer.layout.vocabulary_size, word_width=16, channels=24)
    bare = RelationModel(encoder, tokenizer, Prototypes.none(24), max_length=32, name="small")
    vectors = [
        F.normalize(bare.encode([one for one in rows if one.relation == relation]), dim=-1).mean(0)
        for relation in RELATIONS.ids
    ]
    return replace(bare, prototypes=Prototypes.of(RELATIONS, torch.stack(vectors))).calibrated(rows)


def test_probabilities_are_those_of_predict(model, rows):
    scores = score_natural_pairs(model, natural_pairs(rows, name="mine"))
    for row, answer in enumerate(model.predict(scores.statements, top=2)):
        ranked = dict(answer.ranked)
        assert scores.relations[row] == pytest.approx([ranked[name] for name in scores.names], abs=1e-5)
        assert scores.none[row] == pytest.approx(answer.none_probability, abs=1e-5)


def test_a_model_is_evaluated_with_all_figures_and_its_result_is_json(model, data, tmp_path):
    found = evaluate_extraction(model, data, ExtractionSettings(all_facts=128))
    figures = found.result.figures
    assert (figures.pairs, figures.documents, figures.relations) == (192, 10, 2)
    assert figures.none_share == pytest.approx(2 / 3)
    assert found.result.ceiling == 0.5
    assert [one.chosen_by for one in figures.triples] == ["probability", "f1"]
    at_half = figures.triples[0]
    assert at_half.all_facts.recall.value == pytest.approx(at_half.documents.recall.value / 2)
    write_json(tmp_path / "r.json", found.as_json)
    told = json.loads((tmp_path / "r.json").read_text())
    assert told["task"] == "extraction"
    assert told["calibration"]["pairs"] == 192
    assert told["data"]["name"] == "mine"
    assert {"machine", "versions", "seed", "leakage", "run"} <= set(told)
    assert evaluate_extraction(model, data, ExtractionSettings(all_facts=128)).as_json == found.as_json


def test_the_ceiling_is_counted_by_document_and_unknown_otherwise(model, data):
    counted = evaluate_extraction(model, data, ExtractionSettings(unreachable={"f:0": 5}))
    assert counted.result.ceiling == pytest.approx(64 / 69)
    unknown = evaluate_extraction(model, data)
    assert unknown.result.ceiling is None
    assert unknown.result.figures.triples[0].all_facts is None


def test_pairs_are_encoded_once_for_all_evaluations_of_a_model(model, data, monkeypatch):
    first = evaluate_extraction(model, data)
    monkeypatch.setattr(RelationModel, "encode", lambda *_, **__: pytest.fail("encoded again"))
    assert evaluate_extraction(model, data).as_json == first.as_json


def test_an_uncalibrated_model_is_evaluated_with_a_note_and_refuses_a_precision(model, data):
    found = evaluate_extraction(replace(model, calibration=None), data)
    assert any("not calibrated" in note for note in found.notes)
    assert found.result.figures.target.held == 0
    assert [one.chosen_by for one in found.result.figures.triples] == ["probability"]
    assert found.as_json["calibration"] is None


def test_baselines_are_evaluated_on_the_same_pairs(model, data, tiny_encoder_folder):
    descriptions = Descriptions.of({one.id: one for one in RELATIONS}, name="words")
    found = evaluate_extraction(
        model,
        data,
        baselines=BaselineData(train=data, held_out=data, encoder=str(tiny_encoder_folder)),
        descriptions=descriptions,
    )
    by_types, by_words = found.result.baselines["type_pair_majority"], found.result.baselines["untrained_by_words"]
    # Both relations are one in three of the pairs from a person to a town: all are asserted, or nothing would be.
    assert by_types.sentences.precision.value == pytest.approx(1 / 3)
    assert by_types.sentences.recall.value == 1
    assert by_words.sentences.gold == by_types.sentences.gold == 64
    # The threshold is the best on these very pairs: asserting a relation of every pair is not better.
    assert by_words.sentences.f1.value >= 2 * 64 / (2 * 192 + 64)
    assert found.as_json["baseline_data"]["train"]["fingerprint"]


def test_baselines_without_their_data_are_refused(model, data):
    with pytest.raises(BadInput, match=r"baselines: expected training pairs, or descriptions"):
        evaluate_extraction(model, data, baselines=BaselineData())
    with pytest.raises(BadInput, match=r"baselines: expected descriptions for the untrained encoder"):
        evaluate_extraction(model, data, baselines=BaselineData(held_out=data))


def test_relations_are_evaluated_as_added_by_words_and_by_examples(model, data):
    found = evaluate_extraction(model, data, unseen=UnseenSettings(("died_in",), data))
    assert [one.made_from for one in found.result.unseen] == ["words", "examples"]
    for one in found.result.unseen:
        assert one.alone.relations == 1
        assert one.alone.none_share == pytest.approx(5 / 6)
        assert one.alone.unknown == 0
        assert set(one.together) == {"old", "new", "all"}
        assert one.together["all"].gold == 64
        assert one.together["new"].gold == 32
    # What was not removed is as it was.
    assert found.result.unseen[0].together["old"] == found.result.learned["old"]


def test_relations_without_words_or_examples_are_refused(model, data, rows):
    with pytest.raises(BadInput, match=r"unseen: married: expected a name or a description, got none"):
        evaluate_extraction(model, data, unseen=UnseenSettings(("married",)))
    others = DataSet.of("others", [one for one in rows if one.relation == "born_in"])
    with pytest.raises(BadInput, match=r"examples: expected statements of the unseen relations, got none"):
        evaluate_extraction(model, data, unseen=UnseenSettings(("died_in",), others))


def test_settings_out_of_range_are_refused():
    with pytest.raises(BadInput, match=r"min_precision: expected a number between 0 and 1, got 1"):
        ExtractionSettings(min_precision=1)
    with pytest.raises(BadInput, match=r"resamples: expected 1 or more, got 0"):
        ExtractionSettings(resamples=0)


def test_labels_that_the_model_does_not_have_are_missed_with_a_note(model, rows):
    data = DataSet.of("mine", [*rows, replace(rows[0], relation="buried_in")])
    found = evaluate_extraction(model, data)
    assert any("1 labels are of relations that the model does not have" in note for note in found.notes)
    assert found.result.figures.triples[0].sentences.gold == 65
    assert np.isfinite(found.result.figures.calibration_error.value)


def test_a_model_that_was_calibrated_on_the_evaluated_pairs_has_a_note(model, data, rows):
    assert any("the model was calibrated on mine" in note for note in evaluate_extraction(model, data).notes)
    others = evaluate_extraction(model, DataSet.of("others", rows[:60]))
    assert not any("was calibrated on" in note for note in others.notes)
