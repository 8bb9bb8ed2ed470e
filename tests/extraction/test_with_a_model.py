"""Extraction with a real model: small weights, any text."""

from __future__ import annotations

import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.extraction.conftest import balanced

from protorel.encoders import CNNEncoder, word_tokenizer
from protorel.extraction import ExtractionSettings, Extractor
from protorel.geometry import Prototypes
from protorel.model import RelationModel
from protorel.statements import RelationVocabulary

WORD = re.compile(r"\w+")


def words(text):
    return [match.span() for match in WORD.finditer(text)]


@pytest.fixture(scope="module")
def weights():
    torch.manual_seed(0)
    tokenizer = word_tokenizer(["ada", "was", "born", "in", "lunsk", "met", "bo"])
    encoder = CNNEncoder(words=tokenizer.layout.vocabulary_size, word_width=6, channels=8)
    prototypes = Prototypes.of(RelationVocabulary(["born_in", "spouse"]), torch.randn(2, 8))
    return RelationModel(encoder, tokenizer, prototypes, max_length=32, name="small")


ANY = st.text(max_size=60)


@settings(max_examples=60)
@given(text=ANY)
def test_any_text_is_read_and_offsets_slice_it(weights, text):
    found = Extractor(weights, entities=words, settings=ExtractionSettings(uncertain_from=1e-9))(text)
    assert balanced(found.counts)
    for one in (*found.triples, *found.uncertain):
        for mention in (one.head, one.tail):
            assert text[mention.start : mention.stop] == mention.text
    assert not found.triples or not found.calibrated


SENTENCES = st.lists(
    st.sampled_from(["Ada met Bo", "Ada was born in Lunsk.", "Bo", "", "met in Lunsk, Ada"]), max_size=5
)


@settings(max_examples=30)
@given(texts=SENTENCES, size=st.integers(1, 40))
def test_neither_batches_nor_neighbours_change_a_probability(weights, texts, size):
    loose = {"uncertain_from": 1e-9}
    alone = [Extractor(weights, entities=words, settings=ExtractionSettings(**loose))(text) for text in texts]
    extractor = Extractor(weights, entities=words, settings=ExtractionSettings(**loose, pairs_at_a_time=size))
    for one, other in zip(alone, reversed(list(extractor.pipe(texts[::-1]))), strict=True):
        both = [{(t.head, t.tail, t.relation): t for t in (*e.triples, *e.uncertain)} for e in (one, other)]
        assert both[0].keys() == both[1].keys()
        for key, triple in both[0].items():
            assert triple.probability == pytest.approx(both[1][key].probability, abs=1e-5)
            assert triple.reverse_probability == pytest.approx(both[1][key].reverse_probability, abs=1e-5)


def test_a_model_may_be_given_by_its_name(weights, tmp_path):
    weights.save_pretrained(tmp_path / "run", record={})
    text = "Ada met Bo"
    by_name, by_model = (Extractor(model, entities=words)(text) for model in (tmp_path / "run", weights))
    assert by_name.counts == by_model.counts


def test_reverse_probability_is_that_of_the_other_order(weights):
    found = Extractor(weights, entities=words, settings=ExtractionSettings(uncertain_from=1e-9))("Ada met Bo")
    by_order = {(t.head.text, t.tail.text, t.relation): t for t in (*found.triples, *found.uncertain)}
    assert by_order
    for (head, tail, relation), triple in by_order.items():
        assert triple.reverse_probability == pytest.approx(by_order[tail, head, relation].probability, abs=1e-6)


def test_a_mention_without_a_token_or_of_too_many_is_counted(weights):
    long = "Ada " * 50 + "met Bo and Lunsk."
    spans = [(0, 199), (204, 206), (211, 216)]
    found = Extractor(weights, entities=lambda _: spans)(long)
    assert found.counts["unreadable"] == 4
    assert found.counts["none"] + found.counts.get("answered", 0) == 2
    assert balanced(found.counts)
