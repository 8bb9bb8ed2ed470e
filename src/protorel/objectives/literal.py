"""Equations 2, 3 and 6 as the paper prints them; 4 and 5 are the forms `…_over_pairs` with this similarity.

They are here to be measured, not to be used: printed, d falls as two vectors align, so that equations 4 and 5 drive a
statement away from its own prototype; equation 3 has no logarithm and is nearly flat; and minimising equation 6 makes
prototypes less likely to be told apart, without a floor.
"""

from __future__ import annotations

from dataclasses import replace

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor

from protorel.geometry import ScaledCosine, Similarity
from protorel.objectives.given import ObjectiveInput
from protorel.objectives.prototype_classification import prototype_classification

PRINTED = ScaledCosine(-1.0)
"""Equation 2 as printed: d = 1 / (1 + exp(+cos)), which is the sigmoid of -cos."""


def printed_contrast(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Equation 3 as printed: -(1/N²) Σ_ij exp(δ_ij d_ij) / Σ_j' exp((1 - δ_ij') d_ij'), i = j included.

    δ stands inside the exponents, so that unrelated pairs add exp(0) = 1 above, and related ones add 1 below.
    """
    d = similarity(given.embeddings, given.embeddings).sigmoid()
    related = given.relations[:, None] == given.relations
    above = torch.where(related, d, 0.0).exp()
    below = torch.where(related, 0.0, d).exp().sum(1, keepdim=True)
    return -(above / below).mean()


def printed_classification(
    prototypes: Float[Tensor, "relations width"],
    weight: Float[Tensor, "relations width"],
    bias: Float[Tensor, " relations"],
) -> Float[Tensor, ""]:
    """Equation 6 as printed: +(1/K) Σ log p(r_k | z_k), to be minimised."""
    return -prototype_classification(prototypes, weight, bias)


def as_drawn(given: ObjectiveInput) -> ObjectiveInput:
    """Return a batch whose statements carry the one label they were drawn under, which is all that the paper knows."""
    return replace(given, labels=F.one_hot(given.relations, given.labels.shape[1]).bool())
