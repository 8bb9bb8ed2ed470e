"""Equation 2: how alike two vectors are.

A similarity gives a *logit*; the paper's d(·,·) is its sigmoid. Every reading of the equation has that form, and a
logit keeps log d and log(1 - d) finite where d itself rounds to 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor

Similarity = Callable[[Float[Tensor, "n width"], Float[Tensor, "m width"]], Float[Tensor, "n m"]]
"""Compares each of n vectors with each of m: a logit, higher is more alike."""


def cosine(left: Float[Tensor, "n width"], right: Float[Tensor, "m width"]) -> Float[Tensor, "n m"]:
    """Return the cosine of the angle between each pair."""
    return F.normalize(left, dim=-1) @ F.normalize(right, dim=-1).T


@dataclass(frozen=True, slots=True)
class ScaledCosine:
    """Equation 2, corrected: d = σ(scale · cos + bias), which rises as two vectors align.

    As printed, d falls with the cosine, and without a scale it only spans 0.27 to 0.73, so that gradients starve.
    """

    scale: float
    bias: float = 0.0

    def __call__(self, left: Float[Tensor, "n width"], right: Float[Tensor, "m width"]) -> Float[Tensor, "n m"]:
        """Return the logit of d for each pair."""
        return self.scale * cosine(left, right) + self.bias
