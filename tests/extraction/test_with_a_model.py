"""Extraction with a real model: small weights, any text."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.extraction.conftest import balanced

from protorel.encoders import CNNEncoder, word_tokenizer
from protorel.extraction import ExtractionSettings, Extractor
from protorel.extraction.formats import write_extractions
from protorel.geometry import Prototypes
from protorel.model import RelationModel, write_training_statements
from protorel.statements import RelationVocabulary, Statement

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


@pytest.fixture
def keeper(weights, tmp_path):
    """The model with four training statements of two relations."""
    texts = ("Ada met Bo", "Bo met Ada", "Ada was born in Lunsk", "Bo was born in Lunsk")
    kept = []
    for number, text in enumerate(texts):
        head, tail = words(text)[0], words(text)[-1]
        kept.append(Statement(text, head, tail, "born_in" if "born" in text else "spouse", id=f"k{number}"))
    files = write_training_statements(
        tmp_path, kept, [weights.encode(kept)], count=4, width=8, encoder=weights.fingerprint
    )
    return replace(weights, training_statements=files)


def test_a_triple_shows_its_prototype_and_the_nearest_training_statements_whatever_their_label(keeper):
    extractor = Extractor(keeper, entities=words, settings=ExtractionSettings(uncertain_from=1e-9))
    found = extractor("Ada met Bo")
    for triple in (*found.triples, *found.uncertain):
        prototypes = [one.relation for one in triple.evidence if one.kind == "prototype"]
        assert prototypes == [triple.relation]
        text = "Ada met Bo"
        asked = Statement(text, (triple.head.start, triple.head.stop), (triple.tail.start, triple.tail.stop))
        [answer] = keeper.predict([asked])
        near, own = ([e for e in one.evidence if e.kind == "statement"] for one in (answer, triple))
        assert [one.id for one in own] == [one.id for one in near]
        assert [one.similarity for one in own] == pytest.approx([one.similarity for one in near], abs=1e-5)
        assert {one.relation for one in near} == {"spouse", "born_in"}
    forward = next(one for one in (*found.triples, *found.uncertain) if (one.head.text, one.tail.text) == ("Ada", "Bo"))
    assert forward.evidence[1].id == "k0"


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet", "graphml", "neo4j"])
def test_every_format_but_the_table_has_the_training_statements(keeper, tmp_path, format):
    extractor = Extractor(keeper, entities=words, settings=ExtractionSettings(threshold=1e-9))
    out = tmp_path / f"triples.{format}" if format != "neo4j" else tmp_path / "graph"
    write_extractions(iter([extractor("Ada met Bo")]), format, out, say=print)
    if format == "parquet":
        evidence = [json.loads(cell) for cell in pq.read_table(out)["evidence"].to_pylist()]
        assert any(one.get("text") == "Ada met Bo" for cell in evidence for one in cell)
    else:
        assert "k0" in (out if out.is_file() else out / "relationships.csv").read_text()
