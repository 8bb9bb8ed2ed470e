"""The softmax form: classify a statement by its prototype. It replaces equations 4 to 6."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float, Int
from torch import Tensor

from protorel.geometry import Similarity
from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.terms import term


@term("softmax", moves_prototypes=True)
def prototype_softmax(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Cross-entropy over the similarities to all prototypes; other labels of a statement are left out.

    Needs: prototypes. Gives: what equations 4 and 5 aim at, as one classification over all relations.
    """
    return label_cross_entropy(similarity(given.embeddings, given.prototypes), given.relations, given.labels)


def label_cross_entropy(
    logits: Float[Tensor, "batch relations"],
    relations: Int[Tensor, " batch"],
    labels: Bool[Tensor, "batch relations"],
) -> Float[Tensor, ""]:
    """Cross-entropy in which the statement's other labels are not alternatives."""
    also = labels & ~F.one_hot(relations, labels.shape[1]).bool()
    return F.cross_entropy(logits.masked_fill(also, -torch.inf), relations)
