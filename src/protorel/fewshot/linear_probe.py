"""Linear probe: logistic regression on the vectors of an episode's examples, with the encoder frozen.

The name is Alain and Bengio's (2016); for few examples see Tian et al. 2020, "Rethinking few-shot image
classification". Each episode fits a multinomial logistic regression of its own:

    minimise over W, b:   strength · Σ_i c_i · -log softmax(W x_i + b)[y_i]  +  ½ |W|²

with c_i the weight of example i, 1 by default. This is scikit-learn's `LogisticRegression(C=strength)`, for all
episodes at once. Every row of the optimal W is a linear combination of the examples, so it is found in the space that
they span, which has few dimensions however wide the vectors are.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor

from protorel.fewshot.relation_texts import described_examples
from protorel.geometry import Similarity, cosine

Features = Float[Tensor, "episodes examples dimensions"]
Labels = Float[Tensor, "episodes examples way"]
Weights = Float[Tensor, "episodes dimensions way"]

_MOST_STEPS = 1000
_SMALL = 1e-6
"""The fit ends when a step moves no weight by more than this."""


def linear_probe(
    support: Float[Tensor, "*episodes way shot width"],
    query: Float[Tensor, "*episodes query width"],
    *,
    similarity: Similarity = cosine,
    texts: Float[Tensor, "*episodes way width"] | None = None,
    text_weight: float | None = None,
) -> Float[Tensor, "*episodes query way"]:
    """Score by a logistic regression on the examples, and on each class's text as one more example."""
    if texts is None:
        return logistic_scores(support, query, unit=similarity is cosine)
    examples, counts = described_examples(support, texts, text_weight=text_weight)
    return logistic_scores(examples, query, counts=counts)


@torch.no_grad()
def logistic_scores(
    support: Float[Tensor, "*episodes way shot width"],
    query: Float[Tensor, "*episodes query width"],
    *,
    unit: bool = True,
    counts: Float[Tensor, " shot"] | None = None,
    strength: float = 10.0,
) -> Float[Tensor, "*episodes query way"]:
    """Score by a logistic regression that is fitted to the examples; no gradient passes through it.

    With `unit`, vectors are scaled to length 1 first. `counts` has the weight of each example of a class. A greater
    `strength` means less regularisation.
    """
    more = support.shape[:-3]
    way, shot = support.shape[-3:-1]
    examples = support.reshape(-1, way * shot, support.shape[-1])
    asked = query.reshape(len(examples), -1, query.shape[-1])
    if unit:
        examples, asked = F.normalize(examples, dim=-1), F.normalize(asked, dim=-1)
    # Coordinates in the span of the examples: x_i = R_i Q, and W x = (W Qᵀ) (Q x) for every W in that span.
    basis, coordinates = torch.linalg.qr(examples.mT)
    labels = torch.eye(way, dtype=examples.dtype, device=examples.device).repeat_interleave(shot, dim=0)
    counted = None if counts is None else counts.to(examples).repeat(way)
    features = with_one(coordinates.mT)
    fitted = fit_logistic(features, labels.expand(len(examples), -1, -1), strength=strength, counts=counted)
    scores = with_one(asked @ basis) @ fitted
    return scores.reshape(*more, *scores.shape[1:])


def fit_logistic(
    features: Features, labels: Labels, *, strength: float, counts: Float[Tensor, " examples"] | None = None
) -> Weights:
    """Fit all episodes at once; the last feature is the constant 1, whose weights are free.

    The Hessian of the cross-entropy is bounded by half of the features' Gram matrix (Böhning 1992). Newton steps with
    that bound never overshoot, and it is factorised only once. Nesterov's momentum makes them fewer, and restarts where
    it points uphill (O'Donoghue and Candès 2015).
    """
    penalty = features.new_ones(features.shape[-1])
    penalty[-1] = 0
    weighed = features.mT if counts is None else features.mT * counts
    bound = torch.linalg.cholesky(0.5 * strength * weighed @ features + penalty.diag())
    weights = features.new_zeros(*features.shape[::2], labels.shape[-1])
    ahead, time = weights, features.new_ones(len(features), 1, 1)
    for _ in range(_MOST_STEPS):
        gradient = strength * weighed @ ((features @ ahead).softmax(-1) - labels) + penalty[:, None] * ahead
        step = torch.cholesky_solve(gradient, bound)
        moved = ahead - step
        uphill = (gradient * (moved - weights)).sum((1, 2), keepdim=True) > 0
        later = (1 + (1 + 4 * time.square()).sqrt()) / 2
        ahead = moved + torch.where(uphill, 0.0, (time - 1) / later) * (moved - weights)
        weights, time = moved, torch.where(uphill, 1.0, later)
        if step.abs().max() < _SMALL:
            break
    return weights


def with_one(vectors: Float[Tensor, "episodes count width"]) -> Float[Tensor, "episodes count width_and_one"]:
    """Append the constant 1 to each vector."""
    return F.pad(vectors, (0, 1), value=1.0)
