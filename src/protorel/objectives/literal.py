"""Equations 2 to 6 as the paper prints them.

They are here to be measured, not to be used: as printed, d falls as two vectors align, so equations 4 and 5 drive a
statement away from its own prototype; equation 3 has no logarithm and is nearly flat; and minimising equation 6 makes
prototypes less distinct, without a lower bound.
"""

from __future__ import annotations

from dataclasses import replace

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor, nn

from protorel.geometry import ScaledCosine, Similarity
from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.prototype_classification import prototype_classification
from protorel.objectives.prototype_statements import prototype_statements_over_pairs
from protorel.objectives.statement_prototypes import statement_prototypes_over_pairs
from protorel.objectives.terms import term

PRINTED = ScaledCosine(-1.0)
"""Equation 2 as printed: d = 1 / (1 + exp(+cos)), which is the sigmoid of -cos."""


@term("s2s", reading="literal", similarity=PRINTED)
def printed_contrast(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Equation 3 as printed: -(1/N²) Σ_ij exp(δ_ij d_ij) / Σ_j' exp((1 - δ_ij') d_ij'), i = j included.

    δ is inside the exponents, so unrelated pairs add exp(0) = 1 above, and related ones add 1 below.
    """
    d = similarity(given.embeddings, given.embeddings).sigmoid()
    related = given.relations[:, None] == given.relations
    above = torch.where(related, d, 0.0).exp()
    below = torch.where(related, 0.0, d).exp().sum(1, keepdim=True)
    return -(above / below).mean()


@term("s2z", reading="literal", similarity=PRINTED, moves_prototypes=True)
def _equation_4(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    return prototype_statements_over_pairs(as_drawn(given), similarity=similarity)


@term("s2z_prime", reading="literal", similarity=PRINTED, moves_prototypes=True)
def _equation_5(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    return statement_prototypes_over_pairs(as_drawn(given), similarity=similarity)


def printed_classification(
    prototypes: Float[Tensor, "relations width"],
    weight: Float[Tensor, "relations width"],
    bias: Float[Tensor, " relations"],
) -> Float[Tensor, ""]:
    """Equation 6 as printed: +(1/K) Σ log p(r_k | z_k), to be minimised."""
    return -prototype_classification(prototypes, weight, bias)


@term("cls", reading="literal", moves_prototypes=True)
def _equation_6(given: ObjectiveInput, *, classifier: nn.Linear) -> Float[Tensor, ""]:
    return printed_classification(given.prototypes, classifier.weight, classifier.bias)


def as_drawn(given: ObjectiveInput) -> ObjectiveInput:
    """Return the batch with only the label that each statement was drawn under, as in the paper."""
    return replace(given, labels=F.one_hot(given.relations, given.labels.shape[1]).bool())
