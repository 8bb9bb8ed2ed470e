"""The input of an objective: a batch of statements, their labels and the prototypes."""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Bool, Float, Int
from torch import Tensor


@dataclass(frozen=True, slots=True)
class RelationTexts:
    """The encoded names and descriptions of some relations."""

    vectors: Float[Tensor, "described width"]
    relations: Int[Tensor, " described"]
    """Which relation each text describes; each relation at most once."""


@dataclass(frozen=True, slots=True)
class HiddenTokens:
    """The input of the masked-language term: states of hidden tokens, their original ids, the word embeddings."""

    states: Float[Tensor, "tokens hidden"]
    original: Int[Tensor, " tokens"]
    embeddings: Float[Tensor, "vocabulary hidden"]


@dataclass(frozen=True, slots=True)
class ObjectiveInput:
    """A batch of statements, as an objective sees it."""

    embeddings: Float[Tensor, "batch width"]
    relations: Int[Tensor, " batch"]
    """The label under which each statement was drawn."""
    labels: Bool[Tensor, "batch relations"]
    """All labels of each statement in the data: none of these relations is ever its negative."""
    prototypes: Float[Tensor, "relations width"]
    pairs: Int[Tensor, " batch"] | None = None
    """The entity pair of each statement, for terms that match by entity pair."""
    texts: RelationTexts | None = None
    """The relations in words, for terms that read them."""
    weights: Float[Tensor, " batch"] | None = None
    """How much each statement counts, for terms that weight statements."""
    hidden: HiddenTokens | None = None
    """The masked tokens, for the masked-language term."""
    unrelated: Float[Tensor, "unrelated width"] | None = None
    """Statements without a relation: negatives of every relation and every statement, never a positive."""
