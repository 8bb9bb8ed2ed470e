"""The graph network against its equations, node by node in plain loops."""

import math

import pytest
import torch

from protorel.fewshot import make_method
from protorel.fewshot.gnn import GNNSettings, episode_graphs
from protorel.statements import BadInput

WAY, SHOT, WIDTH, MOST = 3, 2, 5, 4


def made(**more):
    settings = GNNSettings(**{"layers": 2, "features": 4, "vector_width": None, "most_ways": MOST} | more)
    return make_method(settings, width=WIDTH, seed=3).double()


def drawn(episodes=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(episodes, WAY, SHOT, WIDTH, generator=generator, dtype=torch.float64),
        torch.randn(episodes, WAY, WIDTH, generator=generator, dtype=torch.float64),
    )


def leaky(values):
    return [value if value > 0 else 0.01 * value for value in values]


def linear(layer, values):
    rows = layer.weight.tolist()
    bias = layer.bias.tolist() if layer.bias is not None else [0.0] * len(rows)
    return [sum(w * v for w, v in zip(row, values, strict=True)) + b for row, b in zip(rows, bias, strict=True)]


def normed(layer, values):
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values) + layer.eps)
    return [
        (value - mean) / spread * w + b
        for value, w, b in zip(values, layer.weight.tolist(), layer.bias.tolist(), strict=True)
    ]


def heard(layer, nodes):
    """What every node of a layer makes of itself and of the others."""
    found = []
    for i, own in enumerate(nodes):
        scores = {}
        for j, other in enumerate(nodes):
            if i == j:
                continue
            values = [abs(a - b) for a, b in zip(own, other, strict=True)]
            past = sum(w * value for w, value in zip(layer.adjacency.past.tolist(), values, strict=True))
            for first, norm, _ in list(layer.adjacency.score)[:-1]:
                values = leaky(normed(norm, linear(first, values)))
            scores[j] = linear(layer.adjacency.score[-1], values)[0] + past
        total = sum(math.exp(score) for score in scores.values())
        mixed = [sum(math.exp(scores[j]) / total * nodes[j][k] for j in scores) for k in range(len(own))]
        found.append(linear(layer.mix, [*own, *mixed]))
    return found


def test_a_query_is_answered_as_its_graph_says_node_by_node():
    method, (support, query) = made(), drawn(1)
    scores = method(support, query).scores
    examples = [support[0, way, shot].tolist() for way in range(WAY) for shot in range(SHOT)]
    mean = [sum(column) / len(examples) for column in zip(*examples, strict=True)]
    apart = [(value - mean[k]) ** 2 for example in examples for k, value in enumerate(example)]
    spread = math.sqrt(sum(apart) / len(apart))

    def measured(vector):
        return [(value - mean[k]) / spread for k, value in enumerate(vector.tolist())]

    for place in range(WAY):
        nodes = [measured(query[0, place]) + [1 / WAY] * WAY + [0.0] * (MOST - WAY)]
        nodes += [
            measured(support[0, way, shot]) + [float(way == slot) for slot in range(MOST)]
            for way in range(WAY)
            for shot in range(SHOT)
        ]
        for layer in method.layers:
            nodes = [node + leaky(new) for node, new in zip(nodes, heard(layer, nodes), strict=True)]
        assert scores[0, place].tolist() == pytest.approx(heard(method.answer, nodes)[0][:WAY])


def test_a_vector_is_brought_to_a_narrower_one_first_where_that_is_wanted():
    narrow, (support, query) = made(vector_width=2), drawn()
    asked, examples = episode_graphs(narrow.enter(support), narrow.enter(query), most_ways=MOST)
    torch.testing.assert_close(asked[..., :2], narrow.enter(query))
    torch.testing.assert_close(examples[:, 0, :, :2], narrow.enter(support).flatten(1, 2))
    assert narrow(support, query).scores.shape == (2, WAY, WAY)


def test_where_vectors_lie_and_how_far_apart_they_are_does_not_count():
    method, (support, query) = made(), drawn()
    far, small = 100.0, 1e-3
    torch.testing.assert_close(method(far + small * support, far + small * query).scores, method(support, query).scores)
    same = torch.ones_like(support)
    assert method(same, torch.ones_like(query)).scores.isfinite().all()


def test_the_order_of_a_ways_examples_does_not_count():
    method, (support, query) = made(), drawn()
    torch.testing.assert_close(method(support.flip(2), query).scores, method(support, query).scores)


def test_more_ways_than_it_was_made_for_are_refused():
    method = made()
    method.check(MOST, 100)
    with pytest.raises(BadInput, match="expected at most 4 classes per episode, got 5"):
        method.check(MOST + 1, 1)


def test_few_episodes_are_judged_at_once_where_graphs_are_large():
    method = made()
    assert method.episodes_at_once(10, 5) < method.episodes_at_once(5, 1)
    assert method.episodes_at_once(1000, 1000) == 1
