"""A Siamese network: are two statements of the same relation?"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor, nn

from protorel.fewshot.episode_method import EpisodeMethod, Scored
from protorel.fewshot.method_settings import SiameseSettings

Pairs = Float[Tensor, "episodes query way shot"]

_NUMBERS_AT_ONCE = 10_000_000
"""Components of differences held in memory at a time in evaluation."""


class Siamese(EpisodeMethod):
    """A learned weighting of the differences between query and example.

    Koch, Zemel and Salakhutdinov 2015, "Siamese neural networks for one-shot image recognition". The probability that
    two statements have the same relation is σ(α · |a - b| + β), with a and b their vectors. The score of a class is the
    mean logit of its examples, so any number of classes and examples works. Koch trains on pairs only, by their binary
    cross-entropy; here that loss (`pairs`) is added to the cross-entropy over classes.
    """

    def __init__(self, settings: SiameseSettings, width: int) -> None:
        super().__init__(settings, width)
        self.weight_of_pairs = settings.pairs
        # Negative from the start: a difference lowers the score from the first step on.
        self.weights = nn.Parameter(-2 * torch.rand(width) * width**-0.5)
        self.bias = nn.Parameter(torch.zeros(()))

    def episodes_at_once(self, way: int, shot: int) -> int:
        """Bound the differences between queries, one per class, and examples."""
        return max(1, _NUMBERS_AT_ONCE // (way * way * shot * self.width))

    def forward(
        self, support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"]
    ) -> Scored:
        """Compare each query with each example."""
        logits = self.alike(support, query)
        cost = self.weight_of_pairs * pair_loss(logits)
        return Scored(logits.mean(-1), {"pairs": cost} if self.weight_of_pairs else {})

    def alike(
        self, support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"]
    ) -> Pairs:
        """Return α · |a - b| + β for each query and each example."""
        differences = (query[:, :, None, None] - support[:, None]).abs()
        return differences @ self.weights + self.bias


def pair_loss(logits: Pairs) -> Float[Tensor, ""]:
    """Return the binary cross-entropy of pairs; positive and negative pairs have the same total weight.

    Query n belongs to class n modulo the number of classes, as in `episode_loss`. Further labels of a query are not
    known here: with examples of those it counts as a negative pair.
    """
    queries, way = logits.shape[1:3]
    same = torch.arange(queries, device=logits.device)[:, None] % way == torch.arange(way, device=logits.device)
    return (F.softplus(-logits[:, same]).mean() + F.softplus(logits[:, ~same]).mean()) / 2
