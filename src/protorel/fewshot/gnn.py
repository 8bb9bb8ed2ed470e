"""A graph neural network over the episode."""

from __future__ import annotations

import math
from itertools import pairwise

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor, nn

from protorel.fewshot.episode_method import EpisodeMethod, Scored, standardised
from protorel.fewshot.method_settings import GNNSettings
from protorel.io import BadInput

Query = Float[Tensor, "episodes query features"]
Examples = Float[Tensor, "episodes query_or_one examples features"]
"""The example nodes of each query's graph: the same in all graphs before the first layer."""

_PAIRS_AT_ONCE = 200_000
"""Pairs of nodes whose difference is held in memory at a time."""


class Adjacency(nn.Module):
    """A_ij = softmax over j of MLP(d_ij), d_ij = abs(x_i - x_j), the MLP with a skip connection.

    The skip connection starts at minus the sum of d_ij, so that a node attends to similar nodes from the first step on.
    Without it no label reaches the query until the MLP is trained, and the MLP is not trained until one does. No node
    attends to itself: a layer keeps its features anyway.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        sizes = [width, 2 * hidden, hidden]
        # LayerNorm, not BatchNorm: the scores of an episode depend on no other episode.
        hidden_layers = [
            nn.Sequential(nn.Linear(before, after), nn.LayerNorm(after), nn.LeakyReLU())
            for before, after in pairwise(sizes)
        ]
        self.score = nn.Sequential(*hidden_layers, nn.Linear(hidden, 1, bias=False))
        self.past = nn.Parameter(torch.full((width,), -(width**-0.5)))

    def to_query(self, query: Query, examples: Examples) -> Float[Tensor, "episodes query examples"]:
        """Return the attention logits between the query and each example."""
        return self._scored(query[:, :, None] - examples)

    def among(self, examples: Examples) -> Float[Tensor, "episodes query_or_one examples examples"]:
        """Return the attention logits between examples; minus infinity for each with itself."""
        count = examples.shape[-2]
        # The logits are symmetric, so each pair is computed once.
        one, other = torch.triu_indices(count, count, 1, device=examples.device)
        found = self._scored(examples[..., one, :] - examples[..., other, :])
        scores = examples.new_full((*examples.shape[:-1], count), -math.inf)
        scores[..., one, other] = scores[..., other, one] = found
        return scores

    def _scored(self, differences: Float[Tensor, "*pairs features"]) -> Float[Tensor, "*pairs"]:
        distances = differences.abs()
        found: Tensor = self.score(distances).squeeze(-1) + distances @ self.past
        return found


class GraphLayer(nn.Module):
    """x_i becomes W [x_i, Σ_j A_ij x_j]."""

    def __init__(self, width: int, hidden: int, out: int) -> None:
        super().__init__()
        self.adjacency = Adjacency(width, hidden)
        self.mix = nn.Linear(2 * width, out)

    def forward(self, query: Query, examples: Examples) -> tuple[Query, Examples]:
        """Return the new features of the query and of each example."""
        to_query = self.adjacency.to_query(query, examples)
        among = self.adjacency.among(examples).expand(-1, query.shape[1], -1, -1)
        weights = torch.cat([to_query[..., None], among], dim=-1).softmax(-1)
        heard = weights[..., :1] * query[:, :, None] + weights[..., 1:] @ examples
        mixed: Tensor = self.mix(torch.cat([examples.expand_as(heard), heard], dim=-1))
        return self._query(query, examples, to_query), mixed

    def of_query(self, query: Query, examples: Examples) -> Query:
        """Return the new features of the query only: all that the output layer needs."""
        return self._query(query, examples, self.adjacency.to_query(query, examples))

    def _query(self, query: Query, examples: Examples, to_query: Float[Tensor, "episodes query examples"]) -> Query:
        heard = (to_query.softmax(-1)[:, :, None] @ examples).squeeze(2)
        mixed: Tensor = self.mix(torch.cat([query, heard], dim=-1))
        return mixed


class GNN(EpisodeMethod):
    """Message passing between a query and all examples of its episode.

    Garcia and Bruna 2018, "Few-shot learning with graph neural networks". Each query has a fully connected graph, whose
    nodes are the query and all examples, each with its vector and its label (uniform for the query). A layer computes
    attention weights from the absolute differences of the nodes and adds the weighted mean of the others to each node.
    After a few layers the labels of similar examples have reached the query, whose node is read for the answer.
    """

    def __init__(self, settings: GNNSettings, width: int) -> None:
        super().__init__(settings, width)
        self.most_ways = settings.most_ways
        self.enter = nn.Linear(width, settings.vector_width) if settings.vector_width else nn.Identity()
        first, added = (settings.vector_width or width) + settings.most_ways, settings.features
        self.layers = nn.ModuleList(
            GraphLayer(first + number * added, added, added) for number in range(settings.layers)
        )
        self.answer = GraphLayer(first + settings.layers * added, added, settings.most_ways)

    def check(self, way: int, shot: int) -> None:  # noqa: ARG002
        """Refuse more classes than a label has room for."""
        if way > self.most_ways:
            raise BadInput(
                f"method gnn: expected at most {self.most_ways} classes per episode, got {way}; "
                f"train it with method.most_ways={way}"
            )

    def episodes_at_once(self, way: int, shot: int) -> int:
        """Bound the number of node pairs."""
        return max(1, _PAIRS_AT_ONCE // (way * (way * shot + 1) ** 2))

    def forward(
        self, support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"]
    ) -> Scored:
        """Build the graph of each query, and read its node after the last layer."""
        ways = support.shape[1]
        support, query = standardised(support, query)
        asked, examples = episode_graphs(self.enter(support), self.enter(query), most_ways=self.most_ways)
        for layer in self.layers:
            new_asked, new_examples = layer(asked, examples)
            asked = torch.cat([asked, F.leaky_relu(new_asked)], dim=-1)
            examples = torch.cat([examples.expand(*new_examples.shape[:-1], -1), F.leaky_relu(new_examples)], dim=-1)
        return Scored(self.answer.of_query(asked, examples)[..., :ways])


def episode_graphs(
    support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"], *, most_ways: int
) -> tuple[Query, Examples]:
    """Return the nodes of each query's graph: that of the query, and those of the examples, class by class."""
    (episodes, way, shot, _), queries = support.shape, query.shape[1]
    labels = torch.eye(way, most_ways, dtype=query.dtype, device=query.device).repeat_interleave(shot, dim=0)
    examples = torch.cat([support.flatten(1, 2), labels.expand(episodes, -1, -1)], dim=-1)
    unknown = labels.mean(0).expand(episodes, queries, -1)
    return torch.cat([query, unknown], dim=-1), examples[:, None]
