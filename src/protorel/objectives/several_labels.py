"""Equations 4 and 5 for statements with several labels or none: an independent sigmoid per relation."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float
from torch import Tensor


def several_labels(
    logits: Float[Tensor, "batch relations"],
    labels: Bool[Tensor, "batch relations"],
    weights: Float[Tensor, "batch relations"],
    *,
    focus: float = 0.0,
    smoothing: float = 0.0,
) -> Float[Tensor, ""]:
    """Binary cross-entropy to every prototype, summed over relations and averaged over statements.

        - 1/N Σ_i Σ_r w_ir [ y_ir log d(z_r, s_i) + (1 - y_ir) d(z_r, s_i)^focus log(1 - d(z_r, s_i)) ],
    where y_ir is 1 - smoothing if r is a label of the statement, else 0. A statement without labels is pushed from all
    prototypes. With `focus` above 0 this is the asymmetric loss (Ridnik et al., 2021): of a hundred relations that do
    not hold, those with a low probability count little.

    Needs: prototypes, and a weight for each pair of a statement and a relation: 0 where it is unknown whether it holds.
    Gives: probabilities that are independent, for several relations or none.
    """
    targets = labels.to(logits.dtype) * (1 - smoothing)
    push = F.logsigmoid(-logits)
    if focus:
        push = push * torch.sigmoid(logits) ** focus
    return -(weights * (targets * F.logsigmoid(logits) + (1 - targets) * push)).sum() / len(logits)
