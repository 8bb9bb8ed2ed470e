from __future__ import annotations

import pytest
import torch

from protorel.batches import tokenise_all
from protorel.encoders import READOUTS


@pytest.fixture
def batch(tiny_tokenizer, some_statements):
    return tokenise_all(some_statements, tiny_tokenizer, max_length=64).batch(range(6))


@pytest.fixture
def states(batch):
    return torch.randn(*batch.tokens.shape, 3, generator=torch.Generator().manual_seed(0))


def mean(vectors: list[torch.Tensor]) -> torch.Tensor:
    return sum(vectors) / len(vectors)


def test_start_joins_the_states_of_both_start_markers(states, batch, tiny_tokenizer):
    found = READOUTS["start"].read(states, batch)
    layout = tiny_tokenizer.layout
    for i, tokens in enumerate(batch.tokens.tolist()):
        markers = [tokens.index(layout.head_markers[0]), tokens.index(layout.tail_markers[0])]
        torch.testing.assert_close(found[i], torch.cat([states[i, place] for place in markers]))


def test_mention_joins_the_means_over_each_name_without_markers(states, batch, tiny_tokenizer):
    found = READOUTS["mention"].read(states, batch)
    ours = tiny_tokenizer.layout.structural
    for i, tokens in enumerate(batch.tokens.tolist()):
        means = []
        for place in (batch.head, batch.tail):
            inside = range(*place[i].tolist())
            means.append(mean([states[i, p] for p in inside if tokens[p] not in ours]))
        torch.testing.assert_close(found[i], torch.cat(means))


def test_cls_takes_the_first_state(states, batch):
    assert torch.equal(READOUTS["cls"].read(states, batch), states[:, 0])


def test_mean_takes_the_mean_over_all_tokens_but_padding(states, batch):
    found = READOUTS["mean"].read(states, batch)
    for i, length in enumerate(batch.lengths.tolist()):
        torch.testing.assert_close(found[i], mean([states[i, p] for p in range(length)]))


@pytest.mark.parametrize("name", READOUTS)
def test_parts_say_how_wide_a_vector_is(states, batch, name):
    readout = READOUTS[name]
    assert readout.name == name
    assert readout.read(states, batch).shape == (6, 3 * readout.parts)


@pytest.mark.parametrize("name", READOUTS)
def test_what_stands_at_padding_does_not_count(states, batch, name):
    expected = READOUTS[name].read(states, batch)
    noisy = torch.where(batch.present[..., None], states, 1e6)
    torch.testing.assert_close(READOUTS[name].read(noisy, batch), expected)
