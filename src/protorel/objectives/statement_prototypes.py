"""Equation 5, S2Z': a statement is closer to its own prototype than to any other prototype."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float
from torch import Tensor

from protorel.geometry import Similarity
from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.terms import term
from protorel.recipes import PrototypeTerm


def statement_prototypes(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Equation 5, averaged: over all pairs of a statement and another relation's prototype.

        - mean over i of log d(z_own, s_i) - mean over i and z' of log(1 - d(z', s_i)),
    z' over all prototypes whose relation is not a label of the statement, whether or not they are in the batch. For a
    statement without a relation these are all prototypes.

    Needs: prototypes. Gives: statements that separate prototypes; also moves prototypes that are not in the batch.
    """
    own, logits, other = _sides(given, similarity)
    push = (F.logsigmoid(-logits) * other).sum() / other.sum().clamp(min=1)
    return -(F.logsigmoid(own).mean() + push)


def statement_prototypes_over_pairs(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Equation 5 as printed: every pair of a statement and another prototype, over N², so that it grows with K.

    With one label per statement this is (K-1)/N times `statement_prototypes`.
    """
    own, logits, other = _sides(given, similarity)
    pull = (F.logsigmoid(own)[:, 0] * other[: len(own)].sum(1)).sum()
    push = (F.logsigmoid(-logits) * other).sum()
    return -(pull + push) / len(logits) ** 2


@term("s2z_prime", moves_prototypes=True)
def _term(given: ObjectiveInput, *, similarity: Similarity, settings: PrototypeTerm) -> Float[Tensor, ""]:
    equation = statement_prototypes_over_pairs if settings.over_pairs else statement_prototypes
    return equation(given, similarity=similarity)


def _sides(
    given: ObjectiveInput, similarity: Similarity
) -> tuple[Float[Tensor, "batch 1"], Float[Tensor, "all relations"], Bool[Tensor, "all relations"]]:
    """Return the logits to the statements' own prototypes, those to all prototypes, and which of them are others."""
    logits = similarity(given.embeddings, given.prototypes)
    own, other = logits.gather(1, given.relations[:, None]), ~given.labels
    if given.unrelated is None:
        return own, logits, other
    unrelated = similarity(given.unrelated, given.prototypes)
    return own, torch.cat([logits, unrelated]), torch.cat([other, torch.ones_like(unrelated, dtype=torch.bool)])
