"""What holds for every method that learns to read vectors."""

import pytest
import torch

from protorel.fewshot import make_method
from protorel.fewshot.gnn import GNNSettings
from protorel.fewshot.meta_network import MetaNetworkSettings
from protorel.fewshot.siamese import SiameseSettings
from protorel.fewshot.snail import SNAILSettings

WAY, SHOT, WIDTH = 3, 2, 5
SETTINGS = [
    GNNSettings(layers=2, features=4, vector_width=4, most_ways=4),
    MetaNetworkSettings(vector_width=4, hidden=6, gradient_hidden=3, most_ways=4),
    SiameseSettings(),
    SNAILSettings(attention=((6, 3), (4, 2)), filters=3, vector_width=4, most_ways=4, most_shots=2),
]
every_method = pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.name)


def drawn(episodes):
    generator = torch.Generator().manual_seed(0)
    support = torch.randn(episodes, WAY, SHOT, WIDTH, generator=generator, dtype=torch.float64)
    return support, torch.randn(episodes, WAY, WIDTH, generator=generator, dtype=torch.float64)


@every_method
def test_many_episodes_and_queries_at_once_score_like_each_alone(settings):
    method, (support, query) = make_method(settings, width=WIDTH, seed=3).double(), drawn(3)
    together = method(support, query).scores
    for episode, place in torch.cartesian_prod(torch.arange(3), torch.arange(WAY)).tolist():
        alone = method(support[episode, None], query[episode, None, place, None]).scores
        torch.testing.assert_close(together[episode, place], alone[0, 0])


@every_method
def test_gradients_reach_every_weight_and_the_vectors(settings):
    method, (support, query) = make_method(settings, width=WIDTH, seed=3).double(), drawn(2)
    support.requires_grad_()
    method(support, query).scores.logsumexp(-1).sum().backward()
    for name, weight in method.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.abs().max() > 0, name
    assert (support.grad.abs().sum(-1) > 0).all()
