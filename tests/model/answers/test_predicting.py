from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given
from hypothesis import strategies as st

from protorel.geometry import Prototypes
from protorel.model import RelationModel
from protorel.model.answers.predicting import encode_both, swapped
from protorel.statements import BadInput, Relation, RelationVocabulary, Statement

WORDS = ["ada", "bela", "cora", "dora", "emil", "fritz", "gerd", "hans"]
TOWNS = ["lunsk", "oster", "mere", "tarn", "kroll", "pim"]
VERBS = {"born_in": "was born in", "died_in": "died in", "no_relation": "once saw"}


@pytest.fixture
def pairs() -> list[Statement]:
    """Held-out statements in both orders: one in eight or so holds a relation."""
    found = []
    for number, (person, town) in enumerate((p, t) for p in WORDS for t in TOWNS):
        for relation, verb in VERBS.items():
            text = f"{person} {verb} {town}"
            head, tail = (0, len(person)), (len(text) - len(town), len(text))
            document = f"d{number % 12}"
            found.append(Statement(text, head, tail, relation, document=document))
            found.append(Statement(text, tail, head, "no_relation", document=document))
    return found


@pytest.fixture
def trained(transformer, pairs) -> RelationModel:
    """A model whose prototypes are the means of its relations' statements."""
    relations = RelationVocabulary([Relation("born_in", "place of birth"), Relation("died_in", "place of death")])
    vectors = []
    for relation in relations.ids:
        own = [one for one in pairs if one.relation == relation]
        vectors.append(F.normalize(transformer.encode(own), dim=-1).mean(0))
    return replace(transformer, prototypes=Prototypes.of(relations, torch.stack(vectors)))


@pytest.fixture
def calibrated(trained, pairs) -> RelationModel:
    return trained.calibrated(pairs)


def test_an_answer_names_all_that_holds_and_none_where_nothing_does(calibrated, pairs):
    answers = calibrated.predict(pairs)
    assert len(answers) == len(pairs)
    for answer in answers:
        assert answer.calibrated
        assert [name for name, _ in answer.asserted] == [n for n, p in answer.ranked if p >= 0.5]
        if answer.asserted:
            assert (answer.relation, answer.probability) == answer.asserted[0]
        else:
            assert answer.relation is None
            assert answer.probability == answer.none_probability
        assert [p for _, p in answer.ranked] == sorted((p for _, p in answer.ranked), reverse=True)
    assert {answer.relation for answer in answers} > {None}


def test_the_reverse_probability_is_that_of_the_swapped_statement(calibrated, pairs):
    one = next(s for s in pairs if s.relation == "born_in")
    forward, backward = calibrated.predict([one, swapped(one)], top=2)
    best = forward.ranked[0][0]
    assert forward.reverse_probability == pytest.approx(dict(backward.ranked)[best], abs=1e-6)


def test_the_nearest_prototypes_are_the_evidence(calibrated, pairs):
    [answer] = calibrated.predict(pairs[:1])
    cosines = calibrated.prototypes.similarity(calibrated.encode(pairs[:1]))[0]
    assert [one.relation for one in answer.evidence] == [
        calibrated.relations.ids[place] for place in cosines.argsort(descending=True).tolist()
    ]
    assert answer.evidence[0].similarity == pytest.approx(cosines.max().item(), abs=1e-5)
    assert {one.kind for one in answer.evidence} == {"prototype"}


def test_a_statement_and_its_swapped_twin_are_encoded_once(calibrated, pairs):
    both = encode_both(calibrated, pairs)
    assert len(both.vectors) == len({one.key for one in pairs})
    torch.testing.assert_close(both.vectors[both.given], calibrated.encode(pairs), atol=1e-5, rtol=1e-4)
    reverse = calibrated.encode([swapped(one) for one in pairs])
    torch.testing.assert_close(both.vectors[both.swapped], reverse, atol=1e-5, rtol=1e-4)


@given(st.permutations(range(6)), st.integers(8, 200))
def test_neither_order_nor_batches_change_an_answer(order, tokens):
    model, statements = _small()
    expected = model.predict(statements)
    vectors = model.encode(statements, batch_tokens=tokens)
    torch.testing.assert_close(vectors, model.encode(statements, batch_size=1), atol=1e-5, rtol=1e-4)
    found = model.predict([statements[place] for place in order])
    for place, answer in zip(order, found, strict=True):
        assert answer.relation == expected[place].relation
        assert answer.probability == pytest.approx(expected[place].probability, abs=1e-5)


def _small(_made: list = []) -> tuple[RelationModel, list[Statement]]:  # noqa: B006  # one model for all examples
    if not _made:
        from protorel.encoders import CNNEncoder, word_tokenizer

        tokenizer = word_tokenizer(WORDS + TOWNS)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            encoder = CNNEncoder(words=tokenizer.layout.vocabulary_size, word_width=6, channels=8)
            prototypes = Prototypes.of(RelationVocabulary(["a", "b"]), torch.randn(2, 8))
        texts = [f"{' '.join(WORDS[: n + 1])} met {TOWNS[n]}" for n in range(6)]
        statements = [Statement(t, (0, 3), (len(t) - len(TOWNS[n]), len(t))) for n, t in enumerate(texts)]
        _made.extend([RelationModel(encoder, tokenizer, prototypes, max_length=32), statements])
    return _made[0], _made[1]


def test_batches_hold_at_most_as_many_tokens_as_they_may(calibrated, pairs, monkeypatch):
    seen = []
    states = calibrated.encoder.states

    def watched(batch):
        seen.append(batch.tokens.numel())
        return states(batch)

    monkeypatch.setattr(calibrated.encoder, "states", watched)
    calibrated.encode(pairs, batch_tokens=64)
    assert max(seen) <= 64
    assert len(seen) < len(pairs)


def test_candidates_can_be_limited(calibrated, pairs):
    [answer] = calibrated.predict(pairs[:1], among=["died_in"])
    assert [name for name, _ in answer.ranked] == ["died_in"]
    with pytest.raises(
        BadInput, match=r"among: expected relations of the model, got 'dyed_in'\. Did you mean 'died_in'\?"
    ):
        calibrated.predict(pairs[:1], among=["dyed_in"])
    with pytest.raises(BadInput, match="among: expected a list of relations, got the text 'died_in'"):
        calibrated.predict(pairs[:1], among="died_in")
    with pytest.raises(BadInput, match="among: expected at least one relation"):
        calibrated.predict(pairs[:1], among=[])


def test_whatever_holds_statements_can_be_given_and_labels_are_not_read(calibrated):
    row = {"text": "ada was born in lunsk", "head": "ada", "tail": "lunsk"}
    [bare] = calibrated.predict([row])
    [labelled] = calibrated.predict([row | {"relation": "died_in"}])
    assert bare == labelled
    assert calibrated.predict([]) == []


def test_a_model_without_prototypes_says_how_to_get_some(transformer):
    bare = replace(transformer, prototypes=Prototypes.none(transformer.encoder.width))
    with pytest.raises(BadInput, match="expected a model with prototypes, got one without relations"):
        bare.predict([{"text": "ada was born in lunsk", "head": "ada", "tail": "lunsk"}])


def test_a_run_without_calibration_marks_every_answer(trained, pairs):
    assert not any(answer.calibrated for answer in trained.predict(pairs[:4]))


def test_calibration_is_saved_with_the_run_and_refused_for_other_prototypes(calibrated, pairs, tmp_path):
    calibrated.save_pretrained(tmp_path / "run")
    again = RelationModel.from_pretrained(tmp_path / "run")
    for one, other in zip(again.predict(pairs), calibrated.predict(pairs), strict=True):
        assert one.relation == other.relation
        assert one.probability == pytest.approx(other.probability, abs=1e-6)
    said = json.loads((tmp_path / "run" / "calibration.json").read_text())
    assert said["held_out"]["pairs"] == len({one.key for one in pairs})
    assert said["held_out"]["documents"] == 12
    assert said["held_out"]["none_share"] == pytest.approx(np.mean([one.relation == "no_relation" for one in pairs]))
    moved = replace(
        calibrated, prototypes=replace(calibrated.prototypes, vectors=calibrated.prototypes.vectors.flip(0))
    )
    moved.save_pretrained(tmp_path / "moved")
    with pytest.raises(BadInput, match="expected a calibration for the model's prototypes, got one for others"):
        RelationModel.from_pretrained(tmp_path / "moved")


def test_labels_that_the_model_does_not_have_are_counted_and_not_lost(trained, pairs):
    more = [
        replace(one, relation="met") if n % 7 == 0 and one.relation == "no_relation" else one
        for n, one in enumerate(pairs)
    ]
    found = trained.calibrated(more).calibration
    assert found.held_out.unknown == {"met": sum(one.relation == "met" for one in more)}


def test_unlabelled_or_missing_held_out_statements_are_refused(trained, pairs):
    with pytest.raises(BadInput, match="expected a label, got none"):
        trained.calibrated([replace(pairs[0], relation=None)])
    with pytest.raises(BadInput, match="expected held-out statements, got none"):
        trained.calibrated([])


def test_another_share_of_none_can_be_asked_for(trained, pairs):
    found = trained.calibrated(pairs, none_share=0.99)
    usual = trained.calibrated(pairs)
    related = [one for one in pairs if one.relation != "no_relation"]
    for rare, often in zip(found.predict(related), usual.predict(related), strict=True):
        assert rare.none_probability > often.none_probability
