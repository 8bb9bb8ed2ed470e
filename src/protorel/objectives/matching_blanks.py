"""S2S', the objective of Matching the Blanks (Soares et al. 2019): do two statements have the same entities?"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float
from torch import Tensor

from protorel.geometry import Similarity
from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.terms import term
from protorel.recipes import MatchingTerm

Matches = Bool[Tensor, "batch batch"]


def matching_blanks(
    given: ObjectiveInput, matches: Matches, others: Matches, *, similarity: Similarity
) -> Float[Tensor, ""]:
    """Binary cross-entropy over pairs of statements, each side averaged:

        - mean over pairs that match of log d(s_i, s_j) - mean over pairs that do not of log(1 - d(s_i, s_j)).

    It compares one pair at a time; equation 3 contrasts one pair with all that do not match, in one softmax.

    Needs: a rule of what matches, and blanked entities, since names would give the answer away. Gives: similar vectors
    for statements of one entity pair, without any label.
    """
    logits = similarity(given.embeddings, given.embeddings)
    return -(_mean(F.logsigmoid(logits), matches) + _mean(F.logsigmoid(-logits), others))


def same_pair(given: ObjectiveInput) -> tuple[Matches, Matches]:
    """MTB's own rule: statements of the same two entities match, all others do not; labels are ignored."""
    if given.pairs is None:
        raise ValueError("s2s_prime: expected a batch with entity pairs, got none")
    same = given.pairs[:, None] == given.pairs
    itself = torch.eye(len(same), dtype=torch.bool, device=same.device)
    return same & ~itself, ~same


def same_relation(given: ObjectiveInput) -> tuple[Matches, Matches]:
    """The same objective over labels: statements of one relation match, statements that share no label do not."""
    same = given.relations[:, None] == given.relations
    itself = torch.eye(len(same), dtype=torch.bool, device=same.device)
    shared = given.labels.to(torch.float32) @ given.labels.to(torch.float32).T
    return same & ~itself, shared == 0


@term("s2s_prime")
def _term(given: ObjectiveInput, *, similarity: Similarity, settings: MatchingTerm) -> Float[Tensor, ""]:
    matches, others = same_pair(given) if settings.match == "pair" else same_relation(given)
    return matching_blanks(given, matches, others, similarity=similarity)


def _mean(values: Float[Tensor, "batch batch"], where: Matches) -> Float[Tensor, ""]:
    # A batch may have no pair that matches; the term then only pushes.
    return (values * where).sum() / where.sum().clamp(min=1)
