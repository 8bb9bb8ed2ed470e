"""The examples' prototype decides: the direction of their mean, as in Prototypical Networks (Snell et al. 2017)."""

from __future__ import annotations

import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor


def prototype(
    support: Float[Tensor, "*episodes way shot width"], query: Float[Tensor, "*episodes query width"]
) -> Float[Tensor, "*episodes query way"]:
    """Score a way by the cosine to the mean of its examples' unit vectors.

    Unlike the mean of cosines, it does not reward a way merely because its examples agree with each other.
    """
    prototypes = F.normalize(F.normalize(support, dim=-1).mean(-2), dim=-1)
    return F.normalize(query, dim=-1) @ prototypes.transpose(-1, -2)
