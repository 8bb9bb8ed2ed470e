"""Cross-fitted probabilities: each label is graded by a classifier that was fitted to other sentences.

The classifier is a multinomial logistic regression on frozen unit vectors x with labels y,

    minimise over W, b:   Σ_i -log softmax(W x_i + b)[y_i]  +  ½ |W - W0|²

where W0 has 10 times the vector of each relation's description, or zeros where there is none. A relation with few
statements is then read by its description, one with many by its statements. The scale was chosen on statements whose
labels are known to be right or wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from protorel.audit.relation_anchors import Vectors

PRIOR_SCALE = 10.0
"""The factor on the vectors of descriptions."""
_STEPS = 60
_SMALL = 1e-3
"""The fit ends when no weight moves by more than this share of the largest."""
_AT_ONCE = 8192
_BIAS_PENALTY = 1e-3


@dataclass(frozen=True, slots=True)
class CrossFit:
    """What the classifiers say of each statement, one number each."""

    probability: Vectors
    """Of the label."""
    predicted: NDArray[np.int64]
    """The most probable relation."""
    margin: Vectors
    """Cosine to the mean of the label's statements in other folds less that to the closest other mean."""
    reverse_probability: Vectors | None
    """Of the label for the statement from tail to head."""


def cross_fit(
    vectors: Vectors,
    labels: NDArray[np.int64],
    folds: NDArray[np.int64],
    *,
    relations: int,
    texts: Vectors,
    reversed: Vectors | None = None,
) -> CrossFit:
    """Grade the label of every statement by a classifier that was fitted to the other folds.

    Args:
        vectors: One unit vector per statement.
        labels: The relation of each statement.
        folds: The fold of each statement.
        relations: The number of relations.
        texts: One unit vector per relation, zeros for a relation without a text.
        reversed: The vectors of the same statements from tail to head.

    Returns:
        One value of each kind per statement; no statements × relations matrix is held.
    """
    count = len(labels)
    probability, margin = np.empty(count, dtype=np.float32), np.empty(count, dtype=np.float32)
    predicted = np.empty(count, dtype=np.int64)
    backwards = None if reversed is None else np.empty(count, dtype=np.float32)
    prior = torch.from_numpy(PRIOR_SCALE * texts.T.astype(np.float32))
    for fold in np.unique(folds):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if not len(train):  # all statements have one sentence: nothing can be learned from others
            train = test[:0]
        known, given = vectors[train], labels[train]
        weights = fit_logistic_prior(known, given, prior)
        centres = _means(known, given, relations)
        del known
        for start in range(0, len(test), _AT_ONCE):
            rows = test[start : start + _AT_ONCE]
            own = torch.from_numpy(labels[rows])[:, None]
            chances = _softmax(vectors[rows], weights)
            probability[rows] = chances.gather(1, own)[:, 0].numpy()
            predicted[rows] = chances.argmax(1).numpy()
            cosines = torch.from_numpy(vectors[rows] @ centres.T)
            to_own = cosines.gather(1, own)[:, 0]
            margin[rows] = (to_own - cosines.scatter(1, own, -torch.inf).amax(1)).numpy()
            if reversed is not None and backwards is not None:
                backwards[rows] = _softmax(reversed[rows], weights).gather(1, own)[:, 0].numpy()
    return CrossFit(probability, predicted, margin, backwards)


@torch.no_grad()
def fit_logistic_prior(vectors: Vectors, labels: NDArray[np.int64], prior: Tensor) -> Tensor:
    """Fit the regression above; the last row of the result is the bias.

    The Hessian of the cross-entropy is bounded by half of the Gram matrix (Böhning 1992), so Newton steps with that
    bound never overshoot; Nesterov's momentum makes them fewer.
    """
    features, targets = torch.from_numpy(vectors), torch.from_numpy(labels)
    penalty = torch.ones(features.shape[1] + 1)
    penalty[-1] = _BIAS_PENALTY
    bound = torch.linalg.cholesky(0.5 * _gram(features) + penalty.diag())
    start = torch.cat([prior, prior.new_zeros(1, prior.shape[1])])
    weights, ahead, time = start, start, 1.0
    for _ in range(_STEPS):
        gradient = penalty[:, None] * (ahead - start)
        for first in range(0, len(targets), _AT_ONCE):
            block, own = features[first : first + _AT_ONCE], targets[first : first + _AT_ONCE, None]
            errors = torch.addmm(ahead[-1], block, ahead[:-1]).softmax(-1)
            errors.scatter_add_(1, own, errors.new_full(own.shape, -1.0))
            gradient[:-1].addmm_(block.T, errors)
            gradient[-1] += errors.sum(0)
        step = torch.cholesky_solve(gradient, bound)
        moved = ahead - step
        uphill = bool((gradient * (moved - weights)).sum() > 0)
        later = (1 + (1 + 4 * time * time) ** 0.5) / 2
        ahead = moved if uphill else moved + (time - 1) / later * (moved - weights)
        weights, time = moved, 1.0 if uphill else later
        if step.abs().max() <= _SMALL * weights.abs().max():
            break
    return weights


def _gram(features: Tensor) -> Tensor:
    """Return the products of all pairs of columns, a column of ones the last; a copy with that column is not made."""
    sums = features.sum(0)
    last = torch.cat([sums, sums.new_tensor([len(features)])])
    return torch.cat([torch.cat([features.T @ features, sums[None]]), last[:, None]], dim=1)


def _softmax(vectors: Vectors, weights: Tensor) -> Tensor:
    return (torch.from_numpy(vectors) @ weights[:-1] + weights[-1]).softmax(-1)


def _means(vectors: Vectors, labels: NDArray[np.int64], relations: int) -> Vectors:
    """Return the mean direction of each relation's vectors; zeros for a relation without any."""
    sums = np.zeros((relations, vectors.shape[1]), dtype=np.float32)
    np.add.at(sums, labels, vectors)
    lengths: Vectors = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
