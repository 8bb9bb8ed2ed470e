"""What a few-shot method on stored vectors is: examples and queries in, a score for each way out."""

from __future__ import annotations

from typing import Protocol

from jaxtyping import Float
from torch import Tensor

from protorel.geometry import Similarity


class VectorMethod(Protocol):
    """Judges queries by examples; keeps nothing, and gradients pass through it. Leading axes count episodes."""

    def __call__(
        self, support: Float[Tensor, "*episodes way shot width"], query: Float[Tensor, "*episodes query width"]
    ) -> Float[Tensor, "*episodes query way"]:
        """Return a score for each query and way; the highest is the answer."""
        ...


class CombineRule(Protocol):
    """How the examples of a way decide together, whatever the similarity; without one, the cosine counts."""

    def __call__(
        self,
        support: Float[Tensor, "*episodes way shot width"],
        query: Float[Tensor, "*episodes query width"],
        *,
        similarity: Similarity = ...,
    ) -> Float[Tensor, "*episodes query way"]:
        """Return a score for each query and way."""
        ...


class FittedMethod(Protocol):
    """Fits a classifier to the examples of each episode, by directions alone where vectors are to be `unit` ones."""

    def __call__(
        self,
        support: Float[Tensor, "*episodes way shot width"],
        query: Float[Tensor, "*episodes query width"],
        *,
        unit: bool = ...,
    ) -> Float[Tensor, "*episodes query way"]:
        """Return a score for each query and way."""
        ...


def example_similarities(
    support: Float[Tensor, "*episodes way shot width"],
    query: Float[Tensor, "*episodes query width"],
    *,
    similarity: Similarity,
) -> Float[Tensor, "*episodes query way shot"]:
    """Return the similarity of each query to each example."""
    way, shot = support.shape[-3:-1]
    found = similarity(query, support.flatten(-3, -2))
    return found.reshape(*found.shape[:-1], way, shot)
