"""A graph neural network over the episode (Garcia and Bruna 2018, "Few-shot learning with graph neural networks").

Each query gets a graph of its own, in which it and all examples are nodes and every node is joined to every other. A
node knows its statement's vector and its label; the query's label is unknown, so all ways are equally likely there.
A layer first asks of each two nodes how much they have to say to each other: an MLP of |x_i - x_j|, and a softmax
over the other nodes. Then each node takes in what the others say, by those weights, beside what it was before. After
a few layers the labels of the examples have travelled to the query where its vector is like theirs, and its node is
read for the answer.
"""

from __future__ import annotations

import math
from itertools import pairwise

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor, nn

from protorel.fewshot.episode_method import EpisodeMethod, Scored
from protorel.fewshot.spreads import in_spreads
from protorel.recipes import GNNSettings
from protorel.statements import BadInput

Query = Float[Tensor, "episodes query features"]
Examples = Float[Tensor, "episodes query_or_one examples features"]
"""The examples' nodes in each query's graph; the same in all of them until the queries have been heard."""

_PAIRS_AT_ONCE = 200_000
"""Pairs of nodes whose difference is held in memory together."""


class Adjacency(nn.Module):
    """A_ij = softmax over j of MLP(d_ij), d_ij = abs(x_i - x_j), the MLP with a way past its hidden layers.

    That way starts at minus the sum of d_ij, so that from the first step on a node listens to those like itself. Else
    nothing is heard of the labels until the MLP means something, nor does it learn until they are heard. No node
    listens to itself here: it keeps what it is anyway.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        sizes = [width, 2 * hidden, hidden]
        # Normalised for each pair, not over a batch: an episode's scores depend on no other episode.
        hidden_layers = [
            nn.Sequential(nn.Linear(before, after), nn.LayerNorm(after), nn.LeakyReLU())
            for before, after in pairwise(sizes)
        ]
        self.score = nn.Sequential(*hidden_layers, nn.Linear(hidden, 1, bias=False))
        self.past = nn.Parameter(torch.full((width,), -(width**-0.5)))

    def to_query(self, query: Query, examples: Examples) -> Float[Tensor, "episodes query examples"]:
        """Score how much the query and each example have to say to each other."""
        return self._scored(query[:, :, None] - examples)

    def among(self, examples: Examples) -> Float[Tensor, "episodes query_or_one examples examples"]:
        """Score how much the examples have to say to each other; minus infinity for each with itself."""
        count = examples.shape[-2]
        # The difference is the same both ways, so each pair is asked once.
        one, other = torch.triu_indices(count, count, 1, device=examples.device)
        found = self._scored(examples[..., one, :] - examples[..., other, :])
        scores = examples.new_full((*examples.shape[:-1], count), -math.inf)
        scores[..., one, other] = scores[..., other, one] = found
        return scores

    def _scored(self, differences: Float[Tensor, "*pairs features"]) -> Float[Tensor, "*pairs"]:
        apart = differences.abs()
        found: Tensor = self.score(apart).squeeze(-1) + apart @ self.past
        return found


class GraphLayer(nn.Module):
    """x_i becomes W [x_i, Σ_j A_ij x_j]."""

    def __init__(self, width: int, hidden: int, out: int) -> None:
        super().__init__()
        self.adjacency = Adjacency(width, hidden)
        self.mix = nn.Linear(2 * width, out)

    def forward(self, query: Query, examples: Examples) -> tuple[Query, Examples]:
        """Return what the query and each example make of themselves and of all others."""
        to_query = self.adjacency.to_query(query, examples)
        among = self.adjacency.among(examples).expand(-1, query.shape[1], -1, -1)
        weights = torch.cat([to_query[..., None], among], dim=-1).softmax(-1)
        heard = weights[..., :1] * query[:, :, None] + weights[..., 1:] @ examples
        mixed: Tensor = self.mix(torch.cat([examples.expand_as(heard), heard], dim=-1))
        return self._query(query, examples, to_query), mixed

    def of_query(self, query: Query, examples: Examples) -> Query:
        """Return what the query alone makes of itself and of the examples: all that an answer needs."""
        return self._query(query, examples, self.adjacency.to_query(query, examples))

    def _query(self, query: Query, examples: Examples, to_query: Float[Tensor, "episodes query examples"]) -> Query:
        heard = (to_query.softmax(-1)[:, :, None] @ examples).squeeze(2)
        mixed: Tensor = self.mix(torch.cat([query, heard], dim=-1))
        return mixed


class GNN(EpisodeMethod):
    """Queries answered by a graph of the episode."""

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
        """Refuse more ways than a label has room for."""
        if way > self.most_ways:
            raise BadInput(
                f"the graph network has room for {self.most_ways} ways, the episodes have {way}; "
                f"train it with method.most_ways={way}"
            )

    def episodes_at_once(self, way: int, shot: int) -> int:
        """Bound the pairs of nodes."""
        return max(1, _PAIRS_AT_ONCE // (way * (way * shot + 1) ** 2))

    def forward(
        self, support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"]
    ) -> Scored:
        """Give each query its graph, and read its node after the last layer."""
        ways = support.shape[1]
        support, query = in_spreads(support, query)
        asked, examples = episode_graphs(self.enter(support), self.enter(query), most_ways=self.most_ways)
        for layer in self.layers:
            new_asked, new_examples = layer(asked, examples)
            asked = torch.cat([asked, F.leaky_relu(new_asked)], dim=-1)
            examples = torch.cat([examples.expand(*new_examples.shape[:-1], -1), F.leaky_relu(new_examples)], dim=-1)
        return Scored(self.answer.of_query(asked, examples)[..., :ways])


def episode_graphs(
    support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"], *, most_ways: int
) -> tuple[Query, Examples]:
    """Return the nodes of each query's graph: the query's own, and those of the examples, way by way."""
    (episodes, way, shot, _), queries = support.shape, query.shape[1]
    labels = torch.eye(way, most_ways, dtype=query.dtype, device=query.device).repeat_interleave(shot, dim=0)
    examples = torch.cat([support.flatten(1, 2), labels.expand(episodes, -1, -1)], dim=-1)
    unknown = labels.mean(0).expand(episodes, queries, -1)
    return torch.cat([query, unknown], dim=-1), examples[:, None]
