"""A BERT that learns without padding computes what it computes with padding."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
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


def test_padding_free_products_are_rounded_where_bf16_is_asked_for(learning, batch):
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
