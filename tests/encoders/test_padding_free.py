"""A BERT that learns without padding computes what it computes with padding."""

from __future__ import annotations

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn
from transformers import AutoConfig, AutoModel

from protorel.batches import tokenise_all
from protorel.encoders import TransformerEncoder, encode_in_chunks
from protorel.encoders.padding_free import can_be_padding_free, fast_dropout


@pytest.fixture
def batch(tiny_tokenizer, some_statements):
    return tokenise_all(some_statements, tiny_tokenizer, max_length=64).batch([4, 0, 1, 3, 2, 5])


@pytest.fixture
def learning(tiny_encoder):
    """The tiny encoder as it learns, but for dropout, which would draw otherwise without padding."""
    for module in tiny_encoder.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    return tiny_encoder.train()


@pytest.mark.parametrize("chunks", [1, 3, 6])
def test_vectors_and_gradients_are_those_with_padding(learning, batch, chunks):
    weights = [weight for weight in learning.parameters() if weight.requires_grad]
    weigh = torch.randn(6, learning.width, generator=torch.Generator().manual_seed(0))

    def taken(padding_free):
        learning.trains_padding_free = padding_free
        vectors = encode_in_chunks(learning, batch, chunks=chunks).vectors
        return vectors, torch.autograd.grad((vectors * weigh).sum(), weights, allow_unused=True)

    (expected, slopes), (vectors, found) = taken(False), taken(True)
    torch.testing.assert_close(vectors, expected, atol=1e-5, rtol=1e-4)
    for one, other in zip(found, slopes, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-3)


def test_states_at_padding_are_0_and_all_others_as_they_are_with_padding(learning, batch):
    expected = learning.states(batch)
    learning.trains_padding_free = True
    (states,) = learning.states_of([batch])
    assert not states[~batch.present].any()
    torch.testing.assert_close(states[batch.present], expected[batch.present], atol=1e-5, rtol=1e-4)


@given(seed=st.integers(0, 2**32), share=st.floats(0, 1), chunks=st.integers(1, 4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
def test_the_last_layer_gives_the_same_for_the_tokens_that_are_read_and_0_for_others(
    learning, batch, seed, share, chunks
):
    learning.trains_padding_free = True
    pieces = [batch.select(rows) for rows in torch.tensor_split(torch.arange(6), chunks)]
    generator = torch.Generator().manual_seed(seed)
    read = [torch.rand(piece.present.shape, generator=generator) < share for piece in pieces]
    whole, found = learning.states_of(pieces), learning.states_of(pieces, read)
    for piece, asked, expected, states in zip(pieces, read, whole, found, strict=True):
        asked = asked & piece.present
        torch.testing.assert_close(states[asked], expected[asked], atol=1e-5, rtol=1e-4)
        assert not states[~asked].any()


@pytest.mark.parametrize("readout", ["start", "mention", "cls", "mean"])
@pytest.mark.parametrize("texts", [None, [True, False, False, True, False, False], [True] * 6])
def test_a_readout_reads_no_other_places_than_it_says(learning, batch, readout, texts):
    encoder = TransformerEncoder(learning.backbone, readout=readout).train()
    kinds = None if texts is None else torch.tensor(texts)
    vectors = {}
    for encoder.trains_padding_free in (False, True):
        vectors[encoder.trains_padding_free] = encode_in_chunks(encoder, batch, chunks=2, texts=kinds).vectors
    torch.testing.assert_close(vectors[True], vectors[False], atol=1e-5, rtol=1e-4)
    states = torch.randn(*batch.tokens.shape, 32, generator=torch.Generator().manual_seed(0))
    states = states.masked_fill(~batch.present[..., None], 0.0)
    asked = encoder.places_read(batch)
    others = torch.where(asked[..., None], states, 9.0).masked_fill(~batch.present[..., None], 0.0)
    assert torch.equal(encoder.read(others, batch), encoder.read(states, batch))
    if readout in ("start", "cls"):
        assert asked.sum(1).tolist() == [2 if readout == "start" else 1] * 6


def test_padding_stays_where_an_encoder_does_not_learn(tiny_encoder, batch, monkeypatch):
    expected = encode_in_chunks(tiny_encoder, batch, chunks=2).vectors
    monkeypatch.setattr("protorel.encoders.transformer.padding_free_states", None)
    tiny_encoder.trains_padding_free = True
    assert torch.equal(encode_in_chunks(tiny_encoder.eval(), batch, chunks=2).vectors, expected)


@pytest.mark.parametrize("kind", ["roberta", "electra"])
def test_another_family_learns_with_padding(kind, tiny_tokenizer, batch):
    config = AutoConfig.for_model(
        kind, vocab_size=tiny_tokenizer.layout.vocabulary_size, hidden_size=16, num_hidden_layers=1,
        num_attention_heads=2, intermediate_size=32, pad_token_id=tiny_tokenizer.layout.pad,
    )  # fmt: skip
    encoder = TransformerEncoder(AutoModel.from_config(config), readout="start").train()
    assert not can_be_padding_free(encoder.backbone)
    vectors = {}
    for encoder.trains_padding_free in (False, True):
        torch.manual_seed(0)
        vectors[encoder.trains_padding_free] = encode_in_chunks(encoder, batch, chunks=2).vectors
    assert torch.equal(vectors[False], vectors[True])


def test_padding_free_products_are_rounded_where_bf16_is_asked_for(bf16_works, learning, batch):
    learning.trains_padding_free = True
    exact = encode_in_chunks(learning, batch, chunks=2).vectors
    learning.trains_in_bf16 = True
    rounded = encode_in_chunks(learning, batch, chunks=2).vectors
    assert rounded.dtype == torch.float32
    assert not torch.equal(rounded, exact)
    torch.testing.assert_close(rounded, exact, atol=0.15, rtol=0.1)


@given(rate=st.floats(0, 0.9), rows=st.integers(1, 40), width=st.integers(1, 9), seed=st.integers(0, 2**32))
def test_dropout_keeps_values_scaled_up_and_repeats_itself_by_its_seed(rate, rows, width, seed):
    values = torch.ones(rows, width)
    with torch.random.fork_rng(devices=[]):
        found = []
        for _ in range(2):
            torch.manual_seed(seed)
            found.append(fast_dropout(values, rate))
    assert torch.equal(*found)
    kept = found[0][found[0] != 0]
    torch.testing.assert_close(kept, torch.full_like(kept, 1 / (1 - round(rate * 65536) / 65536)))


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5])
def test_dropout_drops_the_share_that_it_is_given_at_every_place_alike(rate):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        dropped = (fast_dropout(torch.ones(20_000, 8), rate) == 0).double().mean(0)
    assert (dropped - rate).abs().max() < 0.02
