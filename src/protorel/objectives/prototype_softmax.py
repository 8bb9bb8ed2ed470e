"""The softmax form: which prototype is a statement's own? It takes the place of equations 4 to 6."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float, Int
from torch import Tensor

from protorel.geometry import Similarity
from protorel.objectives.given import ObjectiveInput


def prototype_softmax(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Cross-entropy over the similarities to all prototypes; other labels of a statement are left out of the sum.

    Needs: prototypes. Gives: what equations 4 and 5 aim at, as one choice among all relations.
    """
    return label_cross_entropy(similarity(given.embeddings, given.prototypes), given.relations, given.labels)


def label_cross_entropy(
    logits: Float[Tensor, "batch relations"],
    relations: Int[Tensor, " batch"],
    labels: Bool[Tensor, "batch relations"],
) -> Float[Tensor, ""]:
    """Cross-entropy in which a relation that the statement also carries is not an alternative."""
    also = labels & ~F.one_hot(relations, labels.shape[1]).bool()
    return F.cross_entropy(logits.masked_fill(also, -torch.inf), relations)
