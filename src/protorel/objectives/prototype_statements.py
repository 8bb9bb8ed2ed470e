"""Equation 4, S2Z: a prototype is closer to its own statements than to any other statement."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float
from torch import Tensor

from protorel.geometry import Similarity
from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.terms import term
from protorel.recipes import PrototypeTerm


def prototype_statements(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Equation 4, each side averaged: own statements pulled to their prototype, all others pushed from it.

    For each relation r in the batch:
        - mean over own i of log d(z_r, s_i) - mean over others j of log(1 - d(z_r, s_j)),
    averaged over the relations. A statement that has r among its labels is not one of the others; one without a
    relation is always one of them.

    Needs: prototypes, two relations or more in a batch. Gives: prototypes that separate statements.
    """
    logits, own, other = _sides(given, similarity)
    pull = _mean(F.logsigmoid(logits), own)
    push = _mean(F.logsigmoid(-logits), other)
    return -(pull + push).mean()


def prototype_statements_over_pairs(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Equation 4 as printed, summed over the batch's relations: every pair of an own and another statement, over N².

    With K statements of each of P relations this is K·(N-K)/N² · P times `prototype_statements`.
    """
    logits, own, other = _sides(given, similarity)
    pull = (F.logsigmoid(logits) * own).sum(0) * other.sum(0)
    push = (F.logsigmoid(-logits) * other).sum(0) * own.sum(0)
    return -(pull + push).sum() / len(logits) ** 2


@term("s2z", moves_prototypes=True)
def _term(given: ObjectiveInput, *, similarity: Similarity, settings: PrototypeTerm) -> Float[Tensor, ""]:
    equation = prototype_statements_over_pairs if settings.over_pairs else prototype_statements
    return equation(given, similarity=similarity)


def _sides(
    given: ObjectiveInput, similarity: Similarity
) -> tuple[Float[Tensor, "all present"], Bool[Tensor, "all present"], Bool[Tensor, "all present"]]:
    """Return the logits to the prototypes of the batch's relations, and which statements are on which side of each."""
    present = given.relations.unique()
    logits = similarity(given.embeddings, given.prototypes[present])
    own, other = given.relations[:, None] == present, ~given.labels[:, present]
    if given.unrelated is None:
        return logits, own, other
    unrelated = similarity(given.unrelated, given.prototypes[present])
    everyone = torch.ones_like(unrelated, dtype=torch.bool)
    return torch.cat([logits, unrelated]), torch.cat([own, ~everyone]), torch.cat([other, everyone])


def _mean(values: Float[Tensor, "all present"], where: Bool[Tensor, "all present"]) -> Float[Tensor, " present"]:
    # A relation may have no "others" in a tiny batch; its mean is then 0, not NaN.
    return (values * where).sum(0) / where.sum(0).clamp(min=1)
