"""What every objective is told about a batch."""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Bool, Float, Int
from torch import Tensor


@dataclass(frozen=True, slots=True)
class RelationTexts:
    """The encoded names and descriptions of some relations."""

    vectors: Float[Tensor, "described width"]
    relations: Int[Tensor, " described"]
    """Which relation each text describes, no relation twice."""


@dataclass(frozen=True, slots=True)
class ObjectiveInput:
    """A batch of statements, as an objective sees it."""

    embeddings: Float[Tensor, "batch width"]
    relations: Int[Tensor, " batch"]
    """The label under which each statement was drawn."""
    labels: Bool[Tensor, "batch relations"]
    """All labels that it carries in the data: none of these relations is ever its negative."""
    prototypes: Float[Tensor, "relations width"]
    pairs: Int[Tensor, " batch"] | None = None
    """The entity pair that each statement is about, where an objective asks for it."""
    texts: RelationTexts | None = None
    """What relations mean in words, where an objective asks for it."""
    weights: Float[Tensor, " batch"] | None = None
    """How much each statement counts, where an objective asks for it."""
