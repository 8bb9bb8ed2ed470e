"""Equations 3, 4 and 6 as the authors' released code computes them; it has no equation 5.

That code sees one relation at a time: eight of its statements, and eight statements of four others. Here every relation
of a batch takes that part in turn, and all statements of the others stand against it; the loss is the mean. What it
compares are plain dot products of vectors of any length, divided by 100, and the logarithms have a floor of 1e-5.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int
from torch import Tensor

from protorel.geometry import ShiftedDot, Similarity
from protorel.objectives.given import ObjectiveInput

BETWEEN_STATEMENTS = ShiftedDot(100.0)
TO_PROTOTYPES = ShiftedDot(100.0, offset=384.0)
"""Its numbers suit BERT-base, whose joined start states are 1,536 wide; they stay the same for any encoder."""
_FLOOR = 1e-5


def released_contrast(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Equation 3: each statement with one partner of its relation, the i-th with the i-th from the end."""
    logits = similarity(given.embeddings, given.embeddings)
    positive = logits.gather(1, _partners(given.relations)[:, None])
    others = given.relations[:, None] != given.relations
    against = logits.masked_fill(~others, -torch.inf).logsumexp(1, keepdim=True)
    share = (positive - torch.logaddexp(positive, against)).exp()
    return -(share + _FLOOR).log().mean()


def released_prototype_statements(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Equation 4: own statements to their prototype, all others from it, each side averaged."""
    present = given.relations.unique()
    d = similarity(given.embeddings, given.prototypes[present]).sigmoid()
    own = given.relations[:, None] == present
    pull: Tensor = ((d + _FLOOR).log() * own).sum(0) / own.sum(0)
    push: Tensor = ((1 - d + _FLOOR).log() * ~own).sum(0) / (~own).sum(0).clamp(min=1)
    return -(pull + push).mean()


def released_classification(
    given: ObjectiveInput, weight: Float[Tensor, "relations width"], bias: Float[Tensor, " relations"]
) -> Float[Tensor, ""]:
    """Equation 6: cross-entropy, for the prototypes of the batch's relations only, at the length they have."""
    present = given.relations.unique()
    return F.cross_entropy(F.linear(given.prototypes[present], weight, bias), present)


def _partners(relations: Int[Tensor, " batch"]) -> Int[Tensor, " batch"]:
    """Return for each statement the place of its partner: a relation's statements read backwards."""
    partners = torch.empty_like(relations)
    for relation in relations.unique():
        places = (relations == relation).nonzero()[:, 0]
        partners[places] = places.flip(0)
    return partners
