"""A step that reads some wordings of each relation, drawn at random, in the place of all."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from protorel.encoders import encode_in_chunks
from protorel.statements import ENGLISH, BadInput, Descriptions, Interrupted, Relation, as_data_set
from protorel.training import load_recipe, pretrain
from protorel.training.data.labelled_data import select_labelled
from protorel.training.pretraining import Pretraining
from protorel.training.steps.pretraining_step import PretrainingStep
from protorel.training.steps.relation_texts import TextsOfRelations, _draw

CPU = torch.device("cpu")
CHEAPER = ["objective.text.wordings_per_step=1", "padding_free=true"]
NAMES = ["born", "x", "died", "lives"]
WORDS = {
    "born": Relation("born", "born", "born in lunsk"),
    "died": Relation("died", "", "in oster"),
    "lives": Relation("lives", "lives", "where ada lives"),
}
"""`born` and `lives` have three wordings, `died` has one, `x` none."""


def in_words(names) -> Descriptions:
    told = {name: Relation(name, name.replace("_", " "), f"what {name} means") for name in names}
    return Descriptions.of(told, name="words.yaml")


@pytest.fixture
def texts(tiny_tokenizer) -> TextsOfRelations:
    return TextsOfRelations(Descriptions.of(WORDS).phrased(ENGLISH), NAMES, tiny_tokenizer, max_length=32)


def drawn(texts, relations, *, count=1, seed=(0, 4, 0)):
    return texts.draw(torch.tensor(relations), count=count, rng=np.random.default_rng(seed))


def rows_of(found) -> list[tuple[int, ...]]:
    """Return each wording as its relation and its tokens."""
    owners = found.relations[found.owners].tolist()
    tokens = [row[there].tolist() for row, there in zip(found.batch.tokens, found.batch.present, strict=True)]
    return [(owner, *ids) for owner, ids in zip(owners, tokens, strict=True)]


def step_of(data, folder, recipe, descriptions) -> PretrainingStep:
    training = Pretraining(recipe, select_labelled(as_data_set(data).source, recipe), folder, None, descriptions)
    parts = (training.encoder, training.objective, training.rows, training.dynamics, training.texts)
    return PretrainingStep(recipe, *parts)


def test_each_described_relation_of_a_batch_gets_one_wording(texts):
    found = drawn(texts, [3, 1, 0, 3, 2])
    assert found.relations.tolist() == [0, 2, 3]
    assert found.owners.tolist() == [0, 1, 2]
    assert drawn(texts, [1, 1]) is None


def test_the_draw_is_a_function_of_seed_and_step(texts):
    assert rows_of(drawn(texts, [0, 2, 3])) == rows_of(drawn(texts, [3, 2, 0, 0]))
    by_step = {tuple(rows_of(drawn(texts, [0, 2, 3], seed=(7, 4, step)))) for step in range(40)}
    assert len(by_step) == 3  # name, description or made-up statement, the same kind for `born` and `lives`


def test_all_relations_of_a_step_are_read_by_the_same_kind_of_wording(texts):
    lengths = texts.rows.texts.lengths
    for step in range(20):
        found = drawn(texts, [0, 3], seed=(0, 4, step))
        assert len(set(found.texts.tolist())) == 1
        if found.texts.all():
            names = [length in (lengths[0], lengths[3]) for length in found.batch.lengths.tolist()]
            assert len(set(names)) == 1


def test_over_many_steps_every_wording_is_drawn_equally_often(texts):
    counts = Counter(row for step in range(900) for row in rows_of(drawn(texts, [0, 2, 3], seed=(1, 4, step))))
    by_relation = {owner: sorted(n for row, n in counts.items() if row[0] == owner) for owner in (0, 2, 3)}
    assert by_relation[2] == [900]
    for owner in (0, 3):
        assert len(by_relation[owner]) == 3
        assert by_relation[owner][0] > 240  # of 300 expected, four deviations


@given(count=st.integers(1, 5), seed=st.integers(0, 2**32))
def test_wordings_of_a_draw_differ_and_are_as_many_as_asked_for_or_all(count, seed):
    rng = np.random.default_rng(seed)
    owners = np.repeat([0, 1, 2], [3, 1, 2])
    chosen = _draw(owners, np.asarray([0, 1, 2]), count=count, rng=rng)
    assert len(set(chosen.tolist())) == len(chosen)
    assert Counter(owners[chosen].tolist()) == {0: min(3, count), 1: 1, 2: min(2, count)}


def test_as_many_wordings_as_there_are_give_what_all_give(texts, tiny_encoder):
    found = drawn(texts, [0, 2, 3], count=3)
    vectors = encode_in_chunks(tiny_encoder, found.batch, chunks=2, texts=found.texts).vectors
    expected = texts.encode(tiny_encoder, torch.tensor([0, 2, 3]), chunks=2, device=CPU)
    assert found.directions(vectors).relations.tolist() == expected.relations.tolist()
    torch.testing.assert_close(found.directions(vectors).vectors, expected.vectors, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("mlm", ["0", "0.5"])
@pytest.mark.parametrize("passes", [1, 2])
def test_a_step_compares_statements_with_the_wordings_that_it_drew(data, statements, tiny_bert, tmp_path, mlm, passes):
    names = sorted({statement.relation for statement in statements})
    options = [
        f"encoder={tiny_bert}", "relations_per_batch=4", "max_length=48", "chunks=2", "min_statements=1",
        "objective.mlm.rate=0.3",
        f"objective.mlm.weight={mlm}", f"objective.mlm.passes={passes}",
    ]  # fmt: skip
    step = step_of(data, tmp_path, load_recipe("words", [*CHEAPER, *options]), in_words(names))
    step.encoder.eval()
    chosen = step.sampler.rows(5)
    relations = torch.from_numpy(step.rows.relations[chosen].astype(np.int64))
    wordings = step.texts.draw(relations, count=1, rng=np.random.default_rng([0, 4, 5]))
    vectors = encode_in_chunks(step.encoder, wordings.batch, chunks=1, texts=wordings.texts).vectors
    if mlm == "0" or passes == 2:
        statement_vectors = encode_in_chunks(step.encoder, step._batch(chosen, 5), chunks=1).vectors
        texts, labels = wordings.directions(vectors), step.rows.labels(chosen)
        expected = step.objective(statement_vectors, relations, labels, texts=texts).terms["text"]
        torch.testing.assert_close(step(5).terms["text"], expected, atol=1e-4, rtol=1e-4)
    assert ("mlm" in step(5).terms) == (mlm != "0")


def test_all_wordings_are_encoded_after_the_statements_as_they_always_were(data, statements, tiny_bert, tmp_path):
    names = sorted({statement.relation for statement in statements})
    options = [f"encoder={tiny_bert}", "relations_per_batch=4", "max_length=48", "chunks=2", "padding_free=false"]
    options += ["min_statements=1", "objective.text.wordings_per_step=all"]
    step = step_of(data, tmp_path, load_recipe("words", options), in_words(names))
    chosen = step.sampler.rows(3)
    relations = torch.from_numpy(step.rows.relations[chosen].astype(np.int64))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        vectors = encode_in_chunks(step.encoder, step._batch(chosen, 3), chunks=2).vectors
        texts = step.texts.encode(step.encoder, relations, chunks=2, device=CPU)
        expected = step.objective(vectors, relations, step.rows.labels(chosen), texts=texts).total
        torch.manual_seed(1)
        assert torch.equal(step(3).loss, expected)


def test_a_run_that_was_stopped_ends_with_the_same_weights(data, statements, tiny_bert, tmp_path):
    names = sorted({statement.relation for statement in statements})
    options = [f"encoder={tiny_bert}", "relations_per_batch=4", "max_length=48", "chunks=2", "min_statements=1"]
    recipe = load_recipe("words", [*CHEAPER, *options, "steps=4", "checkpoint_every=2"])
    assert (recipe.padding_free, recipe.objective.text.wordings_per_step) == (True, 1)

    def stop(step, steps, **_):
        if step == 2:
            raise Interrupted("enough")

    whole = pretrain(data, tmp_path / "whole", recipe, descriptions=in_words(names))
    with pytest.raises(Interrupted):
        pretrain(data, tmp_path / "cut", recipe, descriptions=in_words(names), watch=stop)
    again = pretrain(data, tmp_path / "cut", recipe, descriptions=in_words(names), resume=True)
    assert again.fingerprint == whole.fingerprint
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "cut")]
    assert weights[0] == weights[1]


@pytest.mark.parametrize("value", ["0", "-1", "some", "1.5", "null"])
def test_a_number_of_wordings_that_cannot_be_drawn_is_refused_in_one_line(value):
    expected = r"wordings_per_step = .*expected all or a whole number of at least 1, got"
    with pytest.raises(BadInput, match=expected) as problem:
        load_recipe("words", [f"objective.text.wordings_per_step={value}"])
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("name", ["words", "col_text"])
def test_recipes_read_all_wordings_unless_told_otherwise(name):
    recipe = load_recipe(name)
    assert (recipe.objective.text.wordings_per_step, recipe.padding_free) == ("all", name == "words")


def test_without_padding_all_wordings_are_encoded_with_the_statements(data, statements, tiny_bert, tmp_path):
    names = sorted({statement.relation for statement in statements})
    options = [f"encoder={tiny_bert}", "relations_per_batch=4", "max_length=48", "chunks=2", "min_statements=1"]
    step = step_of(data, tmp_path, load_recipe("words", [*options, "dropout=0", "padding_free=true"]), in_words(names))
    chosen = step.sampler.rows(3)
    relations = torch.from_numpy(step.rows.relations[chosen].astype(np.int64))
    step.encoder.trains_padding_free = False
    vectors = encode_in_chunks(step.encoder, step._batch(chosen, 3), chunks=2).vectors
    texts = step.texts.encode(step.encoder, relations, chunks=2, device=CPU)
    expected = step.objective(vectors, relations, step.rows.labels(chosen), texts=texts).total
    step.encoder.trains_padding_free = True
    seen = []
    step.encoder.states_of = lambda pieces, read, take=step.encoder.states_of: seen.append(pieces) or take(pieces, read)
    torch.testing.assert_close(step(3).loss, expected, atol=1e-4, rtol=1e-4)
    assert len(seen) == 1
