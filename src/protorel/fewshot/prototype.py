"""The examples' prototype decides: their mean, as in Prototypical Networks (Snell et al. 2017)."""

from __future__ import annotations

import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor

from protorel.geometry import Similarity, cosine


def prototype(
    support: Float[Tensor, "*episodes way shot width"],
    query: Float[Tensor, "*episodes query width"],
    *,
    similarity: Similarity = cosine,
) -> Float[Tensor, "*episodes query way"]:
    """Score a way by the similarity to the mean of its examples.

    Unlike the mean of cosines, it does not reward a way merely because its examples agree with each other.
    """
    # To the cosine lengths say nothing, so they may not weigh one example more than another either.
    examples = F.normalize(support, dim=-1) if similarity is cosine else support
    return similarity(query, examples.mean(-2))
