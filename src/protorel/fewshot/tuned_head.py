"""A new output layer tuned on the episode's examples: the row "Finetune" of FewRel's authors (Han et al. 2018).

The encoder has learned to classify the training relations. In an episode its output layer is of no use, since the
relations are new; so a new one is put on top, and takes a number of gradient steps on the examples.

The row is called fine-tuning. Here the encoder itself stays fixed in an episode: then all statements are encoded
once, and 10,000 episodes take seconds and not days. With one to five examples a relation, a new layer already fits
them perfectly, so that there is next to no error left that could tell the encoder anything.

    W ← W - rate · (1/n) Σ_i (softmax(W x_i) - y_i) x_iᵀ,   from W = 0
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor


@torch.no_grad()
def tuned_head(
    support: Float[Tensor, "*episodes way shot width"],
    query: Float[Tensor, "*episodes query width"],
    *,
    unit: bool = True,
    steps: int = 50,
    rate: float = 1.0,
) -> Float[Tensor, "*episodes query way"]:
    """Score by a layer that took gradient steps on the examples; no gradient passes through it.

    With `unit`, vectors are brought to length 1 first. The layer starts at 0, which favours no way, so that nothing
    is left to chance.
    """
    way, shot = support.shape[-3:-1]
    examples = support.flatten(-3, -2)
    if unit:
        examples, query = F.normalize(examples, dim=-1), F.normalize(query, dim=-1)
    labels = torch.eye(way, dtype=examples.dtype, device=examples.device).repeat_interleave(shot, dim=0)
    layer = examples.new_zeros(*examples.shape[:-2], way, examples.shape[-1])
    for _ in range(steps):
        wrong = (examples @ layer.mT).softmax(-1) - labels
        layer = layer - rate * wrong.mT @ examples / len(labels)
    return query @ layer.mT
