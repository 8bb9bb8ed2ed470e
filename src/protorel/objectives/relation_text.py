"""Statements aligned with what their relation means in words, so that a description alone can stand for a relation."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from protorel.geometry import Similarity
from protorel.objectives.given import ObjectiveInput
from protorel.objectives.prototype_softmax import label_cross_entropy


def relation_text(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Cross-entropy of each statement over the encoded texts of the batch's relations; not in the paper.

    Needs: names or descriptions of relations. Gives: an encoder for which a way may be a text, with no example at
    all. A statement whose relation nobody described takes no part, and the text of another label that a statement
    carries is not an alternative.
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
