"""Few-shot methods on stored vectors: the rules over similarities, and what every such method looks like."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol

import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor

from protorel.fewshot.registry import FewShotMethod, find_method, stored_vector_methods
from protorel.fewshot.relation_texts import described_ways
from protorel.geometry import Similarity, cosine, dot, euclidean
from protorel.io import BadInput

SIMILARITIES: Mapping[str, Similarity] = {"cosine": cosine, "dot": dot, "euclidean": euclidean}
"""How two vectors are compared, by name."""


class VectorMethod(Protocol):
    """Scores queries by examples, both given as vectors. It keeps no state; leading axes count episodes.

    The `code` of a method on stored vectors takes a keyword `similarity` too, and, where the method `takes_texts`,
    `texts` (one vector per class, or None) and `text_weight`. A method that fits a classifier uses directions only
    where the similarity is the cosine, and lengths too where it is another.
    """

    def __call__(
        self,
        support: Float[Tensor, "*episodes way shot width"],
        query: Float[Tensor, "*episodes query width"],
        **more: object,
    ) -> Float[Tensor, "*episodes query way"]:
        """Return a score for each query and class; the highest is the answer."""
        ...


def vector_method(method: str | FewShotMethod = "prototype", similarity: str = "cosine") -> VectorMethod:
    """Return a method on stored vectors that compares by the similarity of that name.

    Raises:
        BadInput: the method or the similarity does not exist, or the method cannot work on stored vectors.
    """
    found = find_method(method)
    if not found.reads_stored_vectors:
        known = ", ".join(stored_vector_methods())
        raise BadInput(f"method: expected one that works on stored vectors ({known}), got {found.name!r}")
    if similarity not in SIMILARITIES:
        raise BadInput(f"similarity: expected one of {', '.join(SIMILARITIES)}, got {similarity!r}")
    return partial(found.load(), similarity=SIMILARITIES[similarity])


def prototype(
    support: Float[Tensor, "*episodes way shot width"],
    query: Float[Tensor, "*episodes query width"],
    *,
    similarity: Similarity = cosine,
    texts: Float[Tensor, "*episodes way width"] | None = None,
    text_weight: float | None = None,
) -> Float[Tensor, "*episodes query way"]:
    """Score a class by the similarity to the mean of its examples: Prototypical Networks.

    Snell et al. 2017, "Prototypical networks for few-shot learning". With `texts`, the direction of each class's text
    is added to that of its examples. Unlike the mean of cosines, the rule does not reward a class whose examples
    merely agree with each other.
    """
    if texts is not None:
        support = described_ways(support, texts, text_weight=text_weight)
    # The cosine ignores lengths, so a longer example must not weigh more in the mean either.
    examples = F.normalize(support, dim=-1) if similarity is cosine else support
    return similarity(query, examples.mean(-2))


def mean(
    support: Float[Tensor, "*episodes way shot width"],
    query: Float[Tensor, "*episodes query width"],
    *,
    similarity: Similarity = cosine,
) -> Float[Tensor, "*episodes query way"]:
    """Score a class by the mean similarity to its examples: the paper's rule for training."""
    return example_similarities(support, query, similarity=similarity).mean(-1)


def nearest(
    support: Float[Tensor, "*episodes way shot width"],
    query: Float[Tensor, "*episodes query width"],
    *,
    similarity: Similarity = cosine,
) -> Float[Tensor, "*episodes query way"]:
    """Score a class by the similarity of its closest example: the paper's rule for testing."""
    return example_similarities(support, query, similarity=similarity).amax(-1)


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
