"""Pair scoring against its equation, pair by pair in plain loops."""

import pytest
import torch

from protorel.fewshot import make_method
from protorel.fewshot.pair import PairSettings

WAY, SHOT, WIDTH = 3, 2, 5


def made():
    return make_method(PairSettings(), width=WIDTH, seed=3).double()


def drawn(episodes=2, queries=4):
    generator = torch.Generator().manual_seed(0)
    return torch.randn(episodes, queries, WAY, SHOT, WIDTH, generator=generator, dtype=torch.float64)


def test_a_way_scores_by_the_mean_over_its_examples_of_a_weighed_sum():
    method, pairs = made(), drawn()
    scored = method(pairs)
    assert (scored.scores.shape, scored.costs) == ((2, 4, WAY), {})
    weights = method.alike.weight[0].tolist()
    for episode, place, way in torch.cartesian_prod(*map(torch.arange, (2, 4, WAY))).tolist():
        total = 0.0
        for state in pairs[episode, place, way].tolist():
            total += sum(weight * value for weight, value in zip(weights, state, strict=True)) / SHOT
        assert scored.scores[episode, place, way].item() == pytest.approx(total)


def test_gradients_reach_every_weight_and_every_pair():
    method, pairs = made(), drawn().requires_grad_()
    method(pairs).scores.logsumexp(-1).sum().backward()
    assert all(weight.grad.abs().min() > 0 for weight in method.parameters())
    assert (pairs.grad.abs().sum(-1) > 0).all()


def test_any_number_of_ways_and_examples_will_do_few_episodes_at_once_where_they_are_large():
    method = made()
    method.check(1000, 1000)
    assert method(drawn()[:, :, :2, :1]).scores.shape == (2, 4, 2)
    assert method.episodes_at_once(5, 1) == 80
    assert method.episodes_at_once(10, 5) == 4
    assert method.episodes_at_once(1000, 1000) == 1
