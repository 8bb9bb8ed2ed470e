"""Equation 6, CLS: classify each prototype as its own relation."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor, nn

from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.terms import term


def prototype_classification(
    prototypes: Float[Tensor, "relations width"],
    weight: Float[Tensor, "relations width"],
    bias: Float[Tensor, " relations"],
) -> Float[Tensor, ""]:
    """Equation 6, sign corrected: -(1/K) Σ log p(r_k | z_k), p the softmax of a linear classifier on unit vectors.

    Needs: prototypes and a classifier of their own. Gives: distinct prototypes; it sees no statement.
    """
    logits = F.linear(F.normalize(prototypes, dim=-1), weight, bias)
    return F.cross_entropy(logits, torch.arange(len(prototypes), device=prototypes.device))


@term("cls", moves_prototypes=True)
def _term(given: ObjectiveInput, *, classifier: nn.Linear) -> Float[Tensor, ""]:
    return prototype_classification(given.prototypes, classifier.weight, classifier.bias)
