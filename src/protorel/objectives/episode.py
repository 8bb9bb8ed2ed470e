"""Algorithm 2: the cross-entropy of an episode's queries over its classes."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float
from torch import Tensor


def episode_loss(
    scores: Float[Tensor, "episodes query way"], also: Bool[Tensor, "episodes query way"]
) -> Float[Tensor, ""]:
    """Return the mean cross-entropy of the queries; query n belongs to class n modulo the number of classes.

    Needs: a score for each query and class. Gives: an encoder whose similarities separate relations that it never saw.
    The paper writes the cross-entropy of an argmax, which has no gradient: here the scores are the logits. A class
    that is another label of a query (`also`) is not an alternative.
    """
    way = scores.shape[-1]
    answers = torch.arange(scores.shape[1], device=scores.device) % way
    allowed = scores.masked_fill(also & ~F.one_hot(answers, way).bool(), -torch.inf)
    return F.cross_entropy(allowed.flatten(0, 1), answers.repeat(len(scores)))
