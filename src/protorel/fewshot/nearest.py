"""The nearest example decides, by the maximum of the similarities: the paper's rule for testing."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from protorel.fewshot.method import example_similarities
from protorel.geometry import Similarity, cosine


def nearest(
    support: Float[Tensor, "*episodes way shot width"],
    query: Float[Tensor, "*episodes query width"],
    *,
    similarity: Similarity = cosine,
) -> Float[Tensor, "*episodes query way"]:
    """Score a way by the similarity of its closest example."""
    return example_similarities(support, query, similarity=similarity).amax(-1)
