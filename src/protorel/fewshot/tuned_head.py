"""Tuned head: a new output layer takes gradient steps on an episode's examples.

The row "Finetune" of FewRel's authors (Han et al. 2018): an encoder trained to classify the training relations gets a
new output layer in each episode. Here the encoder stays fixed, so all statements are encoded once and 10,000 episodes
take seconds. With one to five examples per relation the new layer already fits them perfectly, so hardly any error is
left that the encoder could learn from.

    W ← W - rate · (1/n) Σ_i (softmax(W x_i) - y_i) x_iᵀ,   from W = 0
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor

from protorel.geometry import Similarity, cosine


@torch.no_grad()
def tuned_head(
    support: Float[Tensor, "*episodes way shot width"],
    query: Float[Tensor, "*episodes query width"],
    *,
    similarity: Similarity = cosine,
    steps: int = 50,
    rate: float = 1.0,
) -> Float[Tensor, "*episodes query way"]:
    """Score by a linear layer that took gradient steps on the examples; no gradient passes through it.

    By the cosine, vectors are scaled to length 1 first. The layer starts at 0, so nothing is random.
    """
    way, shot = support.shape[-3:-1]
    examples = support.flatten(-3, -2)
    if similarity is cosine:
        examples, query = F.normalize(examples, dim=-1), F.normalize(query, dim=-1)
    labels = torch.eye(way, dtype=examples.dtype, device=examples.device).repeat_interleave(shot, dim=0)
    layer = examples.new_zeros(*examples.shape[:-2], way, examples.shape[-1])
    for _ in range(steps):
        wrong = (examples @ layer.mT).softmax(-1) - labels
        layer = layer - rate * wrong.mT @ examples / len(labels)
    return query @ layer.mT
