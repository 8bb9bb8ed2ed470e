"""How well prototypes separate true labels from false ones, on statements whose labels were checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from scipy import stats
from torch import Tensor

from protorel.evaluation.measurement import Measurement
from protorel.geometry import Prototypes
from protorel.statements import BadInput, Statement


@dataclass(frozen=True, slots=True)
class LabelTruth:
    """The area under the ROC curve of two scores: how often a true label scores higher than a false one."""

    by_cosine: Measurement
    """Scored by the cosine to the prototype of the label."""
    by_margin: Measurement
    """Scored by that cosine minus the cosine to the closest other prototype."""
    false_share: float
    margins: NDArray[np.float64]
    truth: NDArray[np.bool_]


def label_truth(
    prototypes: Prototypes,
    vectors: Float[Tensor, "statements width"],
    statements: Sequence[Statement],
    *,
    seed: int = 0,
) -> LabelTruth:
    """Score the label of each statement by the prototypes, and compare with the known truth.

    Args:
        prototypes: Prototypes of all labels.
        vectors: One vector per statement.
        statements: Statements with a label and `expresses`.
        seed: Random seed for the intervals.

    Raises:
        BadInput: a statement has no label or no `expresses`, or all labels are true, or all are false.
    """
    if any(statement.expresses is None or statement.relation is None for statement in statements):
        raise BadInput("expected a label and `expresses` for every statement, got some without")
    truth = np.asarray([bool(statement.expresses) for statement in statements])
    own = torch.tensor([prototypes.relations.index(str(statement.relation)) for statement in statements])
    cosines = prototypes.similarity(vectors).double()
    to_own = cosines.gather(1, own[:, None])[:, 0]
    to_other = cosines.scatter(1, own[:, None], -torch.inf).amax(1)
    margins = (to_own - to_other).numpy()
    return LabelTruth(
        by_cosine=auroc(to_own.numpy(), truth, seed=seed),
        by_margin=auroc(margins, truth, seed=seed),
        false_share=float(1 - truth.mean()),
        margins=margins,
        truth=truth,
    )


def auroc(scores: NDArray[np.float64], truth: NDArray[np.bool_], *, seed: int = 0, draws: int = 400) -> Measurement:
    """Return the area under the ROC curve, with a 95 % interval bootstrapped over statements."""
    if truth.all() or not truth.any():
        raise BadInput(f"expected true and false labels, got only {'true' if truth.all() else 'false'} ones")
    rng = np.random.default_rng([seed, len(scores)])
    resampled = []
    for _ in range(draws):
        rows = rng.integers(len(scores), size=len(scores))
        if 0 < truth[rows].sum() < len(rows):
            resampled.append(area_under_curve(scores[rows], truth[rows]))
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Measurement(area_under_curve(scores, truth), float(high - low) / 2, len(scores))


def area_under_curve(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """Return the share of (true, false) pairs in the right order, a tie counting half (Mann and Whitney)."""
    ranks = stats.rankdata(scores)
    positives = int(truth.sum())
    negatives = len(truth) - positives
    return float((ranks[truth].sum() - positives * (positives + 1) / 2) / (positives * negatives))
