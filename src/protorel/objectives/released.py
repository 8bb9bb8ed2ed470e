"""Equations 3, 4 and 6 as the authors' released code computes them; it has no equation 5.

That code takes one relation at a time: eight of its statements, and eight statements of four others. Here each relation
of a batch is taken in turn, with all statements of the others as negatives; the loss is the mean. The code compares
plain dot products of vectors of any length, divided by 100, and its logarithms have a floor of 1e-5.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int
from torch import Tensor, nn

from protorel.geometry import ShiftedDot, Similarity
from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.terms import term

BETWEEN_STATEMENTS = ShiftedDot(100.0)
TO_PROTOTYPES = ShiftedDot(100.0, offset=384.0)
"""Its numbers suit BERT-base, whose joined start states are 1,536 wide; they stay the same for any encoder."""
_FLOOR = 1e-5


@term("s2s", reading="released", similarity=BETWEEN_STATEMENTS)
def released_contrast(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Equation 3: each statement with one partner of its relation, the i-th with the i-th from the end."""
    logits = similarity(given.embeddings, given.embeddings)
    positive = logits.gather(1, _partners(given.relations)[:, None])
    others = given.relations[:, None] != given.relations
    against = logits.masked_fill(~others, -torch.inf).logsumexp(1, keepdim=True)
    share = (positive - torch.logaddexp(positive, against)).exp()
    return -(share + _FLOOR).log().mean()


@term("s2z", reading="released", similarity=TO_PROTOTYPES, moves_prototypes=True)
def released_prototype_statements(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Equation 4: pull own statements to their prototype, push all others from it, each side averaged."""
    present = given.relations.unique()
    d = similarity(given.embeddings, given.prototypes[present]).sigmoid()
    own = given.relations[:, None] == present
    pull: Tensor = ((d + _FLOOR).log() * own).sum(0) / own.sum(0)
    push: Tensor = ((1 - d + _FLOOR).log() * ~own).sum(0) / (~own).sum(0).clamp(min=1)
    return -(pull + push).mean()


def released_classification(
    given: ObjectiveInput, weight: Float[Tensor, "relations width"], bias: Float[Tensor, " relations"]
) -> Float[Tensor, ""]:
    """Equation 6: cross-entropy for the prototypes of the batch's relations only, not normalised."""
    present = given.relations.unique()
    return F.cross_entropy(F.linear(given.prototypes[present], weight, bias), present)


@term("cls", reading="released", moves_prototypes=True)
def _equation_6(given: ObjectiveInput, *, classifier: nn.Linear) -> Float[Tensor, ""]:
    return released_classification(given, classifier.weight, classifier.bias)


def _partners(relations: Int[Tensor, " batch"]) -> Int[Tensor, " batch"]:
    """Return for each statement the place of its partner: a relation's statements in reverse order."""
    partners = torch.empty_like(relations)
    for relation in relations.unique():
        places = (relations == relation).nonzero()[:, 0]
        partners[places] = places.flip(0)
    return partners
