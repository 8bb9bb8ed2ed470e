"""The precision-recall curve of a ranked list: precision at N, the area under the curve, the best F1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.classification.class_scores import precision_recall_f1

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scored items, the highest first; items with equal scores share a rank, so that their order does not matter."""

    truth: NDArray[np.bool_]
    owner: NDArray[np.int64]
    """The pair of each item: the bootstrap draws pairs, not items, because the items of a pair depend on each other."""
    ends: NDArray[np.int64]
    """The last place of each run of equal scores."""

    @classmethod
    def of(cls, scores: Numbers, truth: NDArray[np.bool_], owner: NDArray[np.int64]) -> Ranking:
        """Sort items by score."""
        order = np.argsort(-scores, kind="stable")
        ranked = scores[order]
        ends = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
        return cls(truth[order], owner[order], ends)

    def curve(self, weights: Numbers, facts: float) -> Curve:
        """Return the curve with each pair counted `weights` times; `facts` is the number of true items to find."""
        weight = weights[self.owner]
        return Curve(np.cumsum(weight)[self.ends], np.cumsum(weight * self.truth)[self.ends], facts)


@dataclass(frozen=True, slots=True)
class Curve:
    """The number of items taken, and of true ones among them, after each rank."""

    taken: Numbers
    right: Numbers
    facts: float

    def precision_at(self, number: int) -> float:
        """Return the precision of the first `number` items; within equal scores, the mean over their orders."""
        within = min(float(number), float(self.taken[-1]))
        right = np.interp(within, np.append(0.0, self.taken), np.append(0.0, self.right))
        return float(right) / within

    def area(self) -> float:
        """Return the average precision: the precision at each rank, weighted by the recall gained there.

        This is the area under the curve taken as steps; straight lines between its points would promise what no
        threshold reaches.
        """
        if not self.facts:
            return float("nan")
        precision = precision_recall_f1(self.right, self.taken, self.facts).precision
        return float((np.diff(self.right, prepend=0.0) * precision).sum() / self.facts)

    def best_f1(self) -> float:
        """Return the highest F1 that any threshold reaches."""
        if not self.facts:
            return float("nan")
        return float(precision_recall_f1(self.right, self.taken, self.facts).f1.max())
