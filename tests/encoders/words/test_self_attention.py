from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from protorel.encoders.words.self_attention import PositionAwarePooling, relative_attention
from protorel.statements import BadInput


def softmax(scores: list[float]) -> list[float]:
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    return [power / sum(powers) for power in powers]


@given(st.integers(1, 9), st.integers(0, 3), st.integers(1, 3), st.integers(0, 1000))
def test_attention_equals_plain_loops_for_any_length_padding_and_reach(length, padding, farthest, seed):
    generator = torch.Generator().manual_seed(seed)
    heads, part = 2, 3
    query, key, value = torch.randn(3, 1, heads, length + padding, part, generator=generator)
    between = torch.randn(2 * farthest + 1, part, generator=generator)
    present = (torch.arange(length + padding) < length)[None]
    found = relative_attention(query, key, value, between, present)
    assert found.isfinite().all()
    for h in range(heads):
        for i in range(length):
            scores = []
            for j in range(length):
                distance = max(-farthest, min(farthest, j - i))
                towards = key[0, h, j] + between[distance + farthest]
                scores.append((query[0, h, i] @ towards).item() / math.sqrt(part))
            expected = sum(weight * value[0, h, j] for j, weight in enumerate(softmax(scores)))
            torch.testing.assert_close(found[0, h, i], expected, atol=1e-5, rtol=1e-4)


@given(st.integers(1, 7), st.integers(0, 3), st.integers(0, 1000))
def test_pooling_equals_plain_loops(length, padding, seed):
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        pooling = PositionAwarePooling(hidden=4, positions=3)
    states = torch.randn(1, length + padding, 4, generator=generator)
    places = torch.randn(1, length + padding, 3, generator=generator)
    states[:, length:] = 30.0
    present = (torch.arange(length + padding) < length)[None]
    found = pooling(states, places, present)
    sentence = torch.stack([states[0, :length, feature].max() for feature in range(4)])
    scores = []
    for i in range(length):
        inner = pooling.of_state.weight @ states[0, i] + pooling.of_state.bias
        inner = inner + pooling.of_sentence.weight @ sentence + pooling.of_place.weight @ places[0, i]
        scores.append((pooling.score.weight[0] @ torch.tanh(inner)).item())
    expected = sum(weight * states[0, i] for i, weight in enumerate(softmax(scores)))
    torch.testing.assert_close(found[0], expected, atol=1e-5, rtol=1e-4)


def test_the_layer_is_attention_then_a_network_each_added_and_normed(small, rows_of):
    encoder, batch = small("self_attention"), rows_of("self_attention").batch([3])
    inputs = encoder.enter(encoder.inputs(batch))
    mixed = encoder.query_key_value(inputs)[0]
    length, part = mixed.shape[0], 4
    attended = torch.zeros(length, 12)
    for h in range(3):
        query, key, value = (mixed[:, 12 * n + part * h : 12 * n + part * (h + 1)] for n in range(3))
        for i in range(length):
            scores = [
                (query[i] @ (key[j] + encoder.between.weight[j - i + 40])).item() / math.sqrt(part)
                for j in range(length)
            ]
            attended[i, part * h : part * (h + 1)] = sum(w * value[j] for j, w in enumerate(softmax(scores)))
    states = encoder.after_attention(inputs[0] + encoder.leave(attended))
    states = encoder.after_feed_forward(states + encoder.feed_forward(states))
    torch.testing.assert_close(encoder.states(batch)[0], states, atol=1e-5, rtol=1e-4)
    expected = encoder.pooling(states[None], encoder.distances(batch), batch.present)
    torch.testing.assert_close(encoder(batch), expected, atol=1e-5, rtol=1e-4)


def test_the_order_of_words_and_the_places_of_entities_both_tell(small, rows_of):
    encoder, batch = small("self_attention"), rows_of("self_attention").batch(range(6))
    before = encoder(batch)
    for table in (encoder.between, encoder.to_head, encoder.to_tail):
        kept = table.weight.detach().clone()
        with torch.no_grad():
            table.weight.copy_(kept.flip(0))
            assert not torch.allclose(encoder(batch), before, atol=1e-4)
            table.weight.copy_(kept)


def test_heads_that_cannot_share_the_states_are_refused(small):
    with pytest.raises(BadInput, match="hidden=12: expected a multiple of heads=5"):
        small("self_attention", heads=5)
