"""Equation 3, S2S: statements of one relation are close to each other, and far from all others."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from protorel.geometry import Similarity
from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.terms import term


@term("s2s")
def statement_contrast(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Equation 3, corrected: contrast each pair of one relation with all statements of other relations.

    For each ordered pair (i, j) drawn under one relation, i ≠ j:
        -log( exp l(i,j) / ( exp l(i,j) + Σ_k exp l(i,k) ) ),  k over statements that share no label with i,
    those without a relation included; averaged over the j of each i, then over i. A statement is never compared with
    itself, and one that shares a label with i without being drawn under i's relation is neither its positive nor its
    negative.

    Needs: two statements or more of a relation in a batch. Gives: compact, separate relations; no prototype moves.
    """
    unrelated = None if given.unrelated is None else similarity(given.embeddings, given.unrelated)
    return contrast(given, similarity(given.embeddings, given.embeddings), unrelated)


def contrast(
    given: ObjectiveInput,
    logits: Float[Tensor, "batch batch"],
    unrelated: Float[Tensor, "batch unrelated"] | None = None,
) -> Float[Tensor, ""]:
    """Equation 3 over logits that are there already, and those to statements without a relation."""
    itself = torch.eye(len(logits), dtype=torch.bool, device=logits.device)
    positive = (given.relations[:, None] == given.relations) & ~itself
    shared = given.labels.to(logits.dtype) @ given.labels.to(logits.dtype).T
    negative = (shared == 0) & ~itself
    negatives = logits.masked_fill(~negative, -torch.inf)
    against = (negatives if unrelated is None else torch.cat([negatives, unrelated], 1)).logsumexp(1, keepdim=True)
    each = torch.where(positive, torch.logaddexp(logits, against) - logits, 0.0)
    positives = positive.sum(1)
    compared = positives > 0
    if not compared.any():
        return logits.sum() * 0.0
    return (each.sum(1)[compared] / positives[compared]).mean()
