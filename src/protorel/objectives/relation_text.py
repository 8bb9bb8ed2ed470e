"""Statements aligned with the text of their relation, so that a description alone can represent a relation."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from protorel.geometry import Similarity
from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.prototype_softmax import label_cross_entropy
from protorel.objectives.terms import term


@term("text")
def relation_text(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Cross-entropy of each statement over the encoded texts of the batch's relations; not in the paper.

    Needs: names or descriptions of relations. Gives: an encoder that needs no example of a relation, only its text.
    Statements whose relation has no text are left out, and the texts of a statement's other labels are not
    alternatives.
    """
    texts = given.texts
    if texts is None:
        return given.embeddings.sum() * 0.0
    own = given.relations[:, None] == texts.relations
    described = own.any(1)
    if not described.any():
        return given.embeddings.sum() * 0.0
    logits = similarity(given.embeddings[described], texts.vectors)
    carried = given.labels[described][:, texts.relations]
    return label_cross_entropy(logits, torch.nonzero(own[described])[:, 1], carried)
