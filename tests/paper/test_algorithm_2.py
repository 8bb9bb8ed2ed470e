"""Algorithm 2: the loss of few-shot episodes, beside the same sum as plain loops."""

from __future__ import annotations

import math

import pytest
import torch

from protorel.objectives.episode import episode_loss


def drawn(episodes: int, query: int, way: int) -> torch.Tensor:
    return torch.randn(episodes, query, way, generator=torch.Generator().manual_seed(0), dtype=torch.double)


@pytest.mark.parametrize(("episodes", "rounds", "way"), [(1, 1, 5), (4, 1, 3), (2, 3, 4)])
def test_it_equals_plain_loops(episodes, rounds, way):
    scores = drawn(episodes, rounds * way, way)
    also = torch.rand(scores.shape, generator=torch.Generator().manual_seed(1)) < 0.3
    expected = []
    for e in range(episodes):
        for q in range(rounds * way):
            own = q % way
            rivals = [math.exp(scores[e, q, k]) for k in range(way) if k == own or not also[e, q, k]]
            expected.append(-math.log(math.exp(scores[e, q, own]) / sum(rivals)))
    assert episode_loss(scores, also).item() == pytest.approx(sum(expected) / len(expected), rel=1e-9)


def test_it_has_a_gradient_that_raises_the_right_way_alone():
    scores = drawn(2, 5, 5).requires_grad_()
    episode_loss(scores, torch.zeros(2, 5, 5, dtype=torch.bool)).backward()
    right = torch.eye(5, dtype=torch.bool).expand(2, -1, -1)
    assert (scores.grad[right] < 0).all()
    assert (scores.grad[~right] > 0).all()


def test_a_further_label_of_a_query_is_no_rival():
    scores = drawn(1, 3, 3).requires_grad_()
    also = torch.zeros(1, 3, 3, dtype=torch.bool)
    also[0, 0, 2] = True
    episode_loss(scores, also).backward()
    assert scores.grad[0, 0, 2] == 0
    assert scores.grad[0, 1, 2] > 0
