"""What holds for every kind of word encoder."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protorel.batches import StatementBatch, tokenise_all
from protorel.encoders import RelationEncoder, encode_in_chunks, load_word_encoder
from protorel.geometry import Prototypes
from protorel.model import RelationModel
from protorel.statements import BadInput, RelationVocabulary, Span, Statement


def with_padding(batch: StatementBatch, more: int, token: int = 0) -> StatementBatch:
    """Set padding behind a batch; whatever token stands there must not matter."""

    def longer(values, filling):
        return torch.cat([values, torch.full((len(values), more), filling, dtype=values.dtype)], dim=1)

    return dataclasses.replace(
        batch,
        tokens=longer(batch.tokens, token),
        present=longer(batch.present, False),
        content=longer(batch.content, False),
    )


def test_it_is_an_encoder_like_every_other(kind, small, rows_of):
    encoder = small(kind)
    assert isinstance(encoder, RelationEncoder)
    batch = rows_of(kind).batch(range(6))
    assert encoder(batch).shape == (6, encoder.width)
    assert encoder.settings["kind"] == kind
    assert encoder.token_embeddings is None


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(more=st.integers(1, 12), token=st.integers(0, 20), seed=st.integers(0, 50))
def test_more_padding_does_not_change_a_vector(kind, small, rows_of, more, token, seed):
    encoder, batch = small(kind, seed=seed), rows_of(kind).batch(range(6))
    with torch.no_grad():
        # Even with a bias that lifts what is empty above what is not.
        for name, weight in encoder.named_parameters():
            if "bias" in name:
                weight.fill_(0.5)
        found = encoder(with_padding(batch, more, token))
        torch.testing.assert_close(found, encoder(batch), atol=1e-5, rtol=1e-4)


def test_a_vector_does_not_depend_on_the_others_of_its_batch(kind, small, rows_of):
    encoder, rows = small(kind), rows_of(kind)
    together = encoder(rows.batch(range(6)))
    alone = torch.cat([encoder(rows.batch([i])) for i in range(6)])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-4)


def test_padding_passes_no_gradient(kind, small, rows_of):
    # A word that stands nowhere but in the padding.
    encoder, batch, word = small(kind), rows_of(kind).batch(range(6)), 2
    encoder(with_padding(batch, 3, word)).square().sum().backward()
    assert not encoder.word.weight.grad[word].any()
    assert all(weight.grad.isfinite().all() for weight in encoder.parameters() if weight.grad is not None)


@pytest.mark.parametrize("chunks", [1, 4])
def test_encoding_in_chunks_equals_encoding_whole(kind, small, rows_of, chunks):
    encoder, batch = small(kind), rows_of(kind).batch(range(6))
    found = encode_in_chunks(encoder, batch, chunks=chunks).vectors
    torch.testing.assert_close(found, encoder(batch), atol=1e-5, rtol=1e-4)


def test_swapping_head_and_tail_gives_another_vector(kind, small, tokenizer_of):
    text = "ada was born in lunsk"
    forth, back = Statement(text, Span(0, 3), Span(16, 21)), Statement(text, Span(16, 21), Span(0, 3))
    vectors = small(kind)(tokenise_all([forth, back], tokenizer_of(kind), max_length=64).batch([0, 1]))
    assert not torch.allclose(vectors[0], vectors[1], atol=1e-4)


@pytest.mark.parametrize(
    ("head", "tail"),
    [((0, 3), (4, 7)), ((0, 7), (4, 7)), ((0, 7), (0, 3)), ((0, 3), (0, 7)), ((4, 7), (0, 3))],
    ids=["adjacent", "ending together", "starting together", "head in the tail", "tail first"],
)
def test_entities_at_the_ends_adjacent_or_nested_give_finite_vectors_and_gradients(
    kind, small, tokenizer_of, head, tail
):
    encoder = small(kind)
    statement = Statement("ada was", Span(*head), Span(*tail))
    vector = encoder(tokenise_all([statement], tokenizer_of(kind), max_length=64).batch([0]))
    assert vector.isfinite().all()
    vector.square().sum().backward()
    assert all(weight.grad.isfinite().all() for weight in encoder.parameters() if weight.grad is not None)


def test_it_learns_to_tell_two_relations_apart_in_a_few_steps(kind, small, tokenizer_of):
    texts = [f"{name} was {verb} in {place}" for name in ("ada", "bela") for verb in ("born", "died")
             for place in ("lunsk", "oster")]  # fmt: skip
    statements = [Statement(t, Span(0, t.index(" ")), Span(t.rindex(" ") + 1, len(t))) for t in texts]
    batch = tokenise_all(statements, tokenizer_of(kind), max_length=64).batch(range(8))
    wanted = torch.tensor(["born" in text for text in texts]).long()
    encoder = small(kind, dropout=0.0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        classifier = torch.nn.Linear(encoder.width, 2)
    optimiser = torch.optim.Adam([*encoder.parameters(), *classifier.parameters()], lr=0.02)
    for _ in range(30):
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(classifier(encoder(batch)), wanted)
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.1
    assert torch.equal(encoder.word.weight[0], torch.zeros(6))


def test_dropout_changes_vectors_in_training_only(kind, small, rows_of):
    encoder, batch = small(kind, dropout=0.5), rows_of(kind).batch(range(6))
    assert torch.equal(encoder(batch), encoder(batch))
    encoder.train()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        assert not torch.allclose(encoder(batch), encoder(batch))


def test_word_vectors_are_taken_over(small):
    encoder = small("cnn")
    vectors = torch.from_numpy(np.random.default_rng(0).normal(size=encoder.word.weight.shape).astype(np.float32))
    encoder.use_word_vectors(vectors)
    assert torch.equal(encoder.word.weight.detach(), vectors)


@pytest.mark.parametrize("shape", [(21, 7), (3, 6)])
def test_word_vectors_of_the_wrong_shape_are_refused(small, shape):
    with pytest.raises(BadInput, match=rf"word vectors: expected the shape .*, got \({shape[0]}, {shape[1]}\)"):
        small("cnn").use_word_vectors(torch.zeros(shape))


@pytest.mark.parametrize(
    "of_the_kind",
    [
        ("cnn", {"channels": 4, "window": 5}),
        ("pcnn", {"channels": 4, "window": 5}),
        ("rnn", {"cell": "gru", "hidden": 3, "position_width": 2}),
        ("self_attention", {"hidden": 8, "heads": 2, "position_width": 3}),
    ],
    ids=lambda pair: pair[0],
)
def test_a_model_that_is_saved_and_loaded_keeps_settings_weights_and_vectors(
    of_the_kind, small, tokenizer_of, some_statements, tmp_path
):
    kind, sizes = of_the_kind
    encoder = small(kind, farthest=7, dropout=0.5, **sizes)
    prototypes = Prototypes.of(RelationVocabulary(["born_in"]), torch.ones(1, encoder.width))
    RelationModel(encoder, tokenizer_of(kind), prototypes, max_length=32).save_pretrained(tmp_path / "run")
    loaded = RelationModel.from_pretrained(tmp_path / "run")
    assert loaded.encoder.settings == encoder.settings
    assert loaded.tokenizer.layout == tokenizer_of(kind).layout
    model = RelationModel(encoder, tokenizer_of(kind), prototypes, max_length=32)
    assert torch.equal(loaded.encode(some_statements), model.encode(some_statements))
    assert loaded.fingerprint == model.fingerprint


def test_weights_that_do_not_fit_the_settings_are_refused(kind, small, tmp_path):
    encoder = small(kind)
    encoder.save_weights(tmp_path)
    with pytest.raises(BadInput, match=r"model\.safetensors: .*expected the shape"):
        load_word_encoder(tmp_path, {**encoder.settings, "word_width": 9})
    with pytest.raises(BadInput, match=r"model\.safetensors: '\w+.weight': expected the shape \(2000000000001, "):
        load_word_encoder(tmp_path, {**encoder.settings, "farthest": 10**12})  # no memory is taken for it
    with pytest.raises(BadInput, match=r"model\.safetensors: expected valid sizes"):
        load_word_encoder(tmp_path, {**encoder.settings, "padding_id": 10**6})
