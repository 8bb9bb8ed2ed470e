"""A frozen encoder with logistic regression on the episode's examples: what most people try first today.

The encoder stays as it is; each episode fits a linear classifier of its own to the vectors of its examples, by the
multinomial logistic regression of every textbook, and its queries are answered by that. (The name is Alain and
Bengio's, 2016; for few examples see Tian et al. 2020, "Rethinking few-shot image classification".)

    minimise over W, b:   strength · Σ_i c_i · -log softmax(W x_i + b)[y_i]  +  ½ |W|²

where c_i says as how many examples x_i counts, else 1. This is scikit-learn's `LogisticRegression(C=strength)`, for all
episodes at once. Every row of the best W is a sum of
examples, so it is looked for in the space that they span, which has few dimensions however wide the vectors are.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor

Features = Float[Tensor, "episodes examples dimensions"]
Labels = Float[Tensor, "episodes examples way"]
Weights = Float[Tensor, "episodes dimensions way"]

_MOST_STEPS = 1000
_SMALL = 1e-6
"""A step that moves no weight farther than this is the last one."""


@torch.no_grad()
def linear_probe(
    support: Float[Tensor, "*episodes way shot width"],
    query: Float[Tensor, "*episodes query width"],
    *,
    unit: bool = True,
    counts: Float[Tensor, " shot"] | None = None,
    strength: float = 10.0,
) -> Float[Tensor, "*episodes query way"]:
    """Score by a logistic regression that is fitted to the examples; no gradient passes through it.

    With `unit`, vectors are brought to length 1 first. `counts` says as how many examples each of a way's counts. A
    greater `strength` trusts the examples more.
    """
    more = support.shape[:-3]
    way, shot = support.shape[-3:-1]
    examples = support.reshape(-1, way * shot, support.shape[-1])
    asked = query.reshape(len(examples), -1, query.shape[-1])
    if unit:
        examples, asked = F.normalize(examples, dim=-1), F.normalize(asked, dim=-1)
    # Coordinates in the span of the examples: x_i = R_i Q, and W x = (W Qᵀ) (Q x) for every W that is a sum of them.
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

    The Hessian of the cross-entropy is never above half of features' own product (Böhning 1992), so that Newton's
    steps with that in its place never overshoot, and it need be inverted only once. Nesterov's momentum makes them
    fewer; an episode whose momentum points uphill starts it anew (O'Donoghue and Candès 2015).
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
