"""Equation 2: the similarity of two vectors.

A similarity gives a *logit*; the paper's d(·,·) is its sigmoid. Every reading of the equation has that form, and a
logit keeps log d and log(1 - d) finite where d itself rounds to 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor, nn

Similarity = Callable[[Float[Tensor, "n width"], Float[Tensor, "m width"]], Float[Tensor, "n m"]]
"""Compares each of n vectors with each of m: a logit, higher for more similar vectors."""


def cosine(left: Float[Tensor, "*more n width"], right: Float[Tensor, "*more m width"]) -> Float[Tensor, "*more n m"]:
    """Return the cosine of the angle between each pair."""
    return dot(F.normalize(left, dim=-1), F.normalize(right, dim=-1))


def dot(left: Float[Tensor, "*more n width"], right: Float[Tensor, "*more m width"]) -> Float[Tensor, "*more n m"]:
    """Return the dot product of each pair."""
    return left @ right.transpose(-1, -2)


def euclidean(
    left: Float[Tensor, "*more n width"], right: Float[Tensor, "*more m width"]
) -> Float[Tensor, "*more n m"]:
    """Return the negative squared distance of each pair."""
    lengths = left.square().sum(-1)[..., :, None] + right.square().sum(-1)[..., None, :]
    return 2 * dot(left, right) - lengths


@dataclass(frozen=True, slots=True)
class ScaledCosine:
    """Equation 2, corrected: d = σ(scale · cos + bias), which rises as two vectors align.

    As printed, d falls as the cosine rises, and without a scale it spans only 0.27 to 0.73, so gradients are small.
    """

    scale: float
    bias: float = 0.0

    def __call__(self, left: Float[Tensor, "n width"], right: Float[Tensor, "m width"]) -> Float[Tensor, "n m"]:
        """Return the logit of d for each pair."""
        return self.scale * cosine(left, right) + self.bias


class LearnedCosine(nn.Module):
    """Equation 2, corrected, with a scale and a bias that are learned together with the encoder.

    The logarithm of the scale is learned, and the scale is at most 100, as in CLIP: a larger one makes training
    unstable.
    """

    LARGEST = 100.0

    def __init__(self, scale: float, bias: float | None = None) -> None:
        """Start from `scale` and `bias`; if `bias` is None, no bias is learned."""
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(math.log(scale)))
        self.bias = nn.Parameter(torch.tensor(bias)) if bias is not None else None

    @property
    def scale(self) -> Float[Tensor, ""]:
        """The current scale."""
        return self.log_scale.exp().clamp(max=self.LARGEST)

    def forward(self, left: Float[Tensor, "n width"], right: Float[Tensor, "m width"]) -> Float[Tensor, "n m"]:
        """Return the logit of d for each pair."""
        logits = self.scale * cosine(left, right)
        return logits if self.bias is None else logits + self.bias


@dataclass(frozen=True, slots=True)
class ShiftedDot:
    """Equation 2 as in the authors' code: d = σ((s · z - offset) / divisor), of vectors of any length."""

    divisor: float
    offset: float = 0.0

    def __call__(self, left: Float[Tensor, "n width"], right: Float[Tensor, "m width"]) -> Float[Tensor, "n m"]:
        """Return the logit of d for each pair."""
        return (left @ right.T - self.offset) / self.divisor
