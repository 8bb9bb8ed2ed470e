"""IND, the baseline with rule prototypes: S2S in which statements that match their relation's rules count more."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from protorel.geometry import Similarity
from protorel.objectives.inputs import ObjectiveInput
from protorel.objectives.statement_contrast import contrast
from protorel.objectives.terms import term


@term("ind")
def weighted_contrast(given: ObjectiveInput, *, similarity: Similarity) -> Float[Tensor, ""]:
    """Equation 3 over logits w_i · w_j · l(i,j), where w is a statement's similarity to its relation's rule prototype.

    As printed the weight multiplies the vector, s' = w · s, inside a similarity that depends on directions only: there
    any positive weight cancels, and IND would be S2S. On the logit it has an effect. A statement of weight 0 neither
    pulls nor is pulled; with all weights 1 this is equation 3.

    Needs: weights, fixed before training (`protorel.patterns`). Gives: what S2S gives, from statements with
    their relation's usual words; no prototype moves.
    """
    if given.weights is None:
        raise ValueError("ind: expected a batch with statement weights, got none")
    weights = given.weights.to(given.embeddings.dtype)
    return contrast(given, weights[:, None] * weights * similarity(given.embeddings, given.embeddings))
