"""SetFit: pairs as they are meant, the loss and the steps as written in plain loops, nothing left to chance."""

from __future__ import annotations

import math
from copy import deepcopy

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.batches import tokenise_all
from protorel.encoders import CNNEncoder, word_tokenizer
from protorel.fewshot.setfit import SetFitSettings, draw_pairs, pair_loss, tune_on_examples

SUPPORT = np.array([[0, 1], [2, 3], [5, 4]])


@pytest.fixture
def rows(some_statements):
    words = sorted({word for statement in some_statements for word in statement.text.lower().split()})
    return tokenise_all(some_statements, word_tokenizer(words), max_length=32)


@pytest.fixture
def cnn(rows):
    """Make a CNN for these words, with dropout where it is asked for."""

    def make(dropout: float) -> CNNEncoder:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return CNNEncoder(words=rows.layout.vocabulary_size, word_width=8, channels=5, dropout=dropout)

    return make


def weights(encoder) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in encoder.parameters()])


def test_the_loss_is_the_squared_error_of_the_cosine_in_plain_loops():
    first, second = torch.randn(2, 5, 4, generator=torch.Generator().manual_seed(0)).tolist()
    alike = [1.0, 0.0, 0.0, 1.0, 0.0]
    expected = 0.0
    for a, b, target in zip(first, second, alike, strict=True):
        product = sum(x * y for x, y in zip(a, b, strict=True))
        lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
        expected += (product / lengths - target) ** 2 / 5
    found = pair_loss(torch.tensor(first), torch.tensor(second), torch.tensor(alike))
    assert found.item() == pytest.approx(expected)


@given(st.integers(2, 5), st.integers(1, 4), st.integers(1, 40), st.integers(0, 1000))
@settings(max_examples=60)
def test_in_a_round_every_example_meets_one_of_its_way_and_one_of_another(way, shot, count, seed):
    pairs = draw_pairs(way, shot, count=count, random=np.random.default_rng(seed))
    assert all(len(side) == count for side in pairs)
    for start in range(0, count, 2 * way * shot):
        part = slice(start, start + 2 * way * shot)
        met = list(zip(pairs.first[part], pairs.alike[part], strict=True))
        assert len(set(met)) == len(met)
    for one, two, alike in zip(*pairs, strict=True):
        assert alike == (one // shot == two // shot)
        assert 0 <= two < way * shot
        if shot == 1:
            assert alike == (one == two)


def test_every_pair_can_be_drawn_an_example_with_itself_among_them():
    pairs = draw_pairs(3, 2, count=1200, random=np.random.default_rng(0))
    drawn = np.zeros((6, 6), dtype=int)
    np.add.at(drawn, (pairs.first, pairs.second), 1)
    alike = np.arange(6)[:, None] // 2 == np.arange(6) // 2
    assert drawn[alike].min() > 30  # 50 are expected
    assert drawn[~alike].min() > 10  # 25 are expected
    assert drawn[alike].sum() == drawn[~alike].sum() == 600


def test_the_encoder_takes_its_steps_as_written_in_plain_loops(rows, cnn):
    asked = SetFitSettings(pairs=10, batch_size=4, learning_rate=0.01, warmup=0.5, weight_decay=0.1)
    tuned, expected = cnn(0.0), cnn(0.0)
    tune_on_examples(tuned, rows, SUPPORT, asked, seed=7)

    pairs = draw_pairs(3, 2, count=10, random=np.random.default_rng(7))
    optimiser = torch.optim.AdamW(expected.parameters(), weight_decay=0.1)
    # 3 steps, in 2 of which the rate rises.
    for numbers, rate in ((range(4), 0.005), (range(4, 8), 0.01), (range(8, 10), 0.005)):
        optimiser.param_groups[0]["lr"] = rate
        loss = 0.0
        for number in numbers:
            one, two = (rows.batch([int(SUPPORT.ravel()[side[number]])]) for side in pairs[:2])
            cosine = torch.cosine_similarity(expected(one), expected(two))[0]
            loss = loss + (cosine - float(pairs.alike[number])) ** 2 / len(numbers)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert (weights(tuned) - weights(cnn(0.0))).abs().max() > 0.005
    torch.testing.assert_close(weights(tuned), weights(expected), rtol=1e-3, atol=1e-4)
    assert all(parameter.grad is None for parameter in tuned.parameters())


def test_ways_move_apart_and_their_examples_together(rows, cnn):
    encoder = cnn(0.0)

    def nearness(alike: bool) -> float:
        with torch.no_grad():
            vectors = encoder(rows.batch(SUPPORT.ravel().tolist()))
        cosines = torch.cosine_similarity(vectors[:, None], vectors[None], dim=-1)
        same = torch.arange(6)[:, None] // 2 == torch.arange(6) // 2
        return cosines[same if alike else ~same].mean().item()

    before = nearness(True) - nearness(False)
    tune_on_examples(encoder, rows, SUPPORT, SetFitSettings(learning_rate=0.03), seed=0)
    assert nearness(True) - nearness(False) > before + 0.3


def test_the_same_seed_makes_the_same_weights_and_leaves_a_callers_randomness_alone(rows, cnn):
    start, asked = cnn(0.5), SetFitSettings(pairs=12, learning_rate=0.01)
    found = []
    for seed in (1, 1, 2):
        torch.manual_seed(len(found))
        expected_next = torch.random.get_rng_state()
        encoder = deepcopy(start)
        tune_on_examples(encoder, rows, SUPPORT, asked, seed=seed)
        assert torch.equal(torch.random.get_rng_state(), expected_next)
        found.append(weights(encoder))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


def test_dropout_makes_two_views_of_an_example_whatever_the_encoder_was_doing_before(rows, cnn):
    examples, asked = SUPPORT[:, :1], SetFitSettings(pairs=12, learning_rate=0.01)
    found = []
    for encoder in (cnn(0.5).train(), cnn(0.5).eval(), cnn(0.0)):
        tune_on_examples(encoder, rows, examples, asked, seed=0)
        found.append(weights(encoder))
    assert torch.equal(found[0], found[1])
    assert not torch.allclose(found[0], found[2])


def test_frozen_weights_stay_as_they_are(rows, cnn):
    encoder = cnn(0.0)
    frozen, *rest = encoder.parameters()
    frozen.requires_grad_(False)
    before = [frozen.clone(), torch.cat([p.detach().flatten() for p in rest])]
    tune_on_examples(encoder, rows, SUPPORT, SetFitSettings(pairs=16, learning_rate=0.01), seed=0)
    assert torch.equal(frozen, before[0])
    assert not torch.equal(torch.cat([p.detach().flatten() for p in rest]), before[1])
