"""The nearest example decides: the paper's rule for testing."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from protorel.fewshot.method import example_cosines


def nearest(
    support: Float[Tensor, "*episodes way shot width"], query: Float[Tensor, "*episodes query width"]
) -> Float[Tensor, "*episodes query way"]:
    """Score a way by the cosine of its closest example."""
    return example_cosines(support, query).amax(-1)
