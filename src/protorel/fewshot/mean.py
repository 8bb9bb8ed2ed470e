"""The mean over the examples' similarities decides: the paper's rule for training."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from protorel.fewshot.method import example_cosines


def mean(
    support: Float[Tensor, "*episodes way shot width"], query: Float[Tensor, "*episodes query width"]
) -> Float[Tensor, "*episodes query way"]:
    """Score a way by the mean cosine to its examples."""
    return example_cosines(support, query).mean(-1)
