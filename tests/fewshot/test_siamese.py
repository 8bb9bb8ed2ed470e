"""The Siamese network against its equations, pair by pair in plain loops."""

import math

import pytest
import torch

from protorel.fewshot import load_method, make_method, method_record, save_method
from protorel.fewshot.siamese import SiameseSettings
from protorel.statements import BadInput

WAY, SHOT, WIDTH = 3, 2, 5


def made(**more):
    method = make_method(SiameseSettings(**more), width=WIDTH, seed=3).double()
    torch.nn.init.normal_(method.weights, generator=torch.Generator().manual_seed(5))
    torch.nn.init.constant_(method.bias, 0.7)
    return method


def drawn(episodes=2, queries=WAY, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(episodes, WAY, SHOT, WIDTH, generator=generator, dtype=torch.float64),
        torch.randn(episodes, queries, WIDTH, generator=generator, dtype=torch.float64),
    )


def likely(method, one, other):
    """How likely two statements say the same."""
    total = method.bias.item()
    for weight, a, b in zip(method.weights.tolist(), one.tolist(), other.tolist(), strict=True):
        total += weight * abs(a - b)
    return 1 / (1 + math.exp(-total))


def test_a_way_scores_by_the_mean_logit_of_its_examples():
    method, (support, query) = made(), drawn()
    scores = method(support, query).scores
    for episode in range(2):
        for place in range(WAY):
            for way in range(WAY):
                found = [likely(method, query[episode, place], support[episode, way, shot]) for shot in range(SHOT)]
                logits = [math.log(p / (1 - p)) for p in found]
                assert scores[episode, place, way].item() == pytest.approx(sum(logits) / SHOT)


@pytest.mark.parametrize("queries", [WAY, 2 * WAY])
def test_pairs_alike_and_pairs_not_alike_cost_their_cross_entropy_and_weigh_the_same(queries):
    method, (support, query) = made(pairs=0.5), drawn(queries=queries)
    alike, apart = [], []
    for episode in range(2):
        for place in range(queries):
            for way in range(WAY):
                for shot in range(SHOT):
                    p = likely(method, query[episode, place], support[episode, way, shot])
                    (alike if place % WAY == way else apart).append(-math.log(p if place % WAY == way else 1 - p))
    assert (len(alike), len(apart)) == (2 * queries * SHOT, 2 * queries * (WAY - 1) * SHOT)
    expected = 0.5 * (sum(alike) / len(alike) + sum(apart) / len(apart)) / 2
    costs = method(support, query).costs
    assert list(costs) == ["pairs"]
    assert costs["pairs"].item() == pytest.approx(expected)


def test_a_weight_of_0_leaves_the_cost_of_pairs_out():
    assert made(pairs=0)(*drawn()).costs == {}


def test_a_pair_far_from_right_costs_much_and_no_infinity():
    method, (support, query) = made(), drawn()
    torch.nn.init.constant_(method.bias, -1e4)
    cost = method(support, query).costs["pairs"]
    assert cost.item() == pytest.approx(5e3, rel=0.01)


def test_at_the_start_statements_are_the_more_alike_the_less_they_differ():
    method = make_method(SiameseSettings(), width=WIDTH, seed=0).double()
    assert (method.weights < 0).all()
    support, query = drawn()
    near = support.mean(2)
    near = near + 0.01 * (query - near)
    assert torch.equal(method(near[:, :, None], near).scores.argmax(-1), torch.arange(WAY).expand(2, -1))


def test_two_statements_are_as_alike_one_way_round_as_the_other():
    method, (support, query) = made(), drawn()
    there = method.alike(support, query)
    back = method.alike(query[:, :, None], support.flatten(1, 2))
    torch.testing.assert_close(there.flatten(2), back.squeeze(-1).mT)


def test_ways_and_examples_may_come_in_any_order_and_number():
    method, (support, query) = made(), drawn()
    scores = method(support, query).scores
    torch.testing.assert_close(method(support.flip(2), query).scores, scores)
    torch.testing.assert_close(method(support.flip(1), query).scores, scores.flip(2))
    method.check(1000, 1000)
    assert method(support[:, :2, :1], query[:, :1]).scores.shape == (2, 1, 2)


def test_few_episodes_are_judged_at_once_where_they_are_large():
    method = made()
    assert method.episodes_at_once(10, 5) < method.episodes_at_once(5, 1)
    assert method.episodes_at_once(1000, 1000) == 1


def test_weights_that_are_not_finite_are_refused_by_file_and_tensor(tmp_path):
    method = made()
    with torch.no_grad():
        method.bias.fill_(torch.nan)
    save_method(method, tmp_path)
    with pytest.raises(BadInput, match=r"method\.safetensors: expected finite numbers, .* of the tensor 'bias'"):
        load_method(tmp_path, method_record(method))
