"""A Siamese network (Koch, Zemel and Salakhutdinov 2015, "Siamese neural networks for one-shot image recognition").

It never learns a relation, only a question: do two statements say the same? One encoder gives both their vectors; where
these differ, component by component, is weighed and summed, and a sigmoid makes of the sum how likely the answer is
yes: p(a, b) = σ(α · |a - b| + β). A query is asked beside each example; a way's score is the mean of its examples'
logits. So any number of ways and shots will do.

Koch learns from pairs alone, by their binary cross-entropy, as many alike as not. That is the cost `pairs` here; the
cross-entropy over ways, by which every method learns here, comes beside it.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor, nn

from protorel.fewshot.episode_method import EpisodeMethod, Scored
from protorel.recipes import SiameseSettings

Pairs = Float[Tensor, "episodes query way shot"]

_NUMBERS_AT_ONCE = 10_000_000
"""Components of differences that are held in memory together while judging."""


class Siamese(EpisodeMethod):
    """Queries answered by how alike they are to each example, in components whose weights are learned."""

    def __init__(self, settings: SiameseSettings, width: int) -> None:
        super().__init__(settings, width)
        self.weight_of_pairs = settings.pairs
        # Drawn below zero: from the first step on, what differs speaks against.
        self.weights = nn.Parameter(-2 * torch.rand(width) * width**-0.5)
        self.bias = nn.Parameter(torch.zeros(()))

    def episodes_at_once(self, way: int, shot: int) -> int:
        """Bound the differences: each query, one a way, beside each example."""
        return max(1, _NUMBERS_AT_ONCE // (way * way * shot * self.width))

    def forward(
        self, support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"]
    ) -> Scored:
        """Ask of each query and each example whether they are alike."""
        logits = self.alike(support, query)
        cost = self.weight_of_pairs * pair_loss(logits)
        return Scored(logits.mean(-1), {"pairs": cost} if self.weight_of_pairs else {})

    def alike(
        self, support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"]
    ) -> Pairs:
        """Return α · |a - b| + β for each query and each example."""
        apart = (query[:, :, None, None] - support[:, None]).abs()
        return apart @ self.weights + self.bias


def pair_loss(logits: Pairs) -> Float[Tensor, ""]:
    """Return the binary cross-entropy of pairs, those alike and those not weighing the same.

    Query number n belongs to way number n, over and over, as in `episode_loss`. A further label of a query is not known
    here: beside examples of it the query counts as not alike.
    """
    queries, way = logits.shape[1:3]
    same = torch.arange(queries, device=logits.device)[:, None] % way == torch.arange(way, device=logits.device)
    return (F.softplus(-logits[:, same]).mean() + F.softplus(logits[:, ~same]).mean()) / 2
