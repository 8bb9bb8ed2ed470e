"""Equation 6, CLS: a prototype alone says which relation it stands for."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor


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
