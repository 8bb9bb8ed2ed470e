"""The mean over the examples' similarities decides: the paper's rule for training."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from protorel.fewshot.method import example_similarities
from protorel.geometry import Similarity, cosine


def mean(
    support: Float[Tensor, "*episodes way shot width"],
    query: Float[Tensor, "*episodes query width"],
    *,
    similarity: Similarity = cosine,
) -> Float[Tensor, "*episodes query way"]:
    """Score a way by the mean similarity to its examples."""
    return example_similarities(support, query, similarity=similarity).mean(-1)
