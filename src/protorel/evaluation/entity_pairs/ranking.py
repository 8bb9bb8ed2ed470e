"""A ranked list judged from its top down: precision at N, the area under the precision-recall curve, the best F1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.answers.relation_scores import shares

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scored things, the highest first; things of one score share a place, so no chance order helps or hurts."""

    truth: NDArray[np.bool_]
    owner: NDArray[np.int64]
    """Which pair each thing belongs to: pairs are redrawn, not things, because a pair's things hang together."""
    ends: NDArray[np.int64]
    """Where each run of equal scores ends."""

    @classmethod
    def of(cls, scores: Numbers, truth: NDArray[np.bool_], owner: NDArray[np.int64]) -> Ranking:
        """Sort things by their scores."""
        order = np.argsort(-scores, kind="stable")
        ranked = scores[order]
        ends = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
        return cls(truth[order], owner[order], ends)

    def curve(self, weights: Numbers, wanted: float) -> Curve:
        """Go down the list, with each pair counted `weights` times; `wanted` true things are there to be found."""
        weight = weights[self.owner]
        return Curve(np.cumsum(weight)[self.ends], np.cumsum(weight * self.truth)[self.ends], wanted)


@dataclass(frozen=True, slots=True)
class Curve:
    """How many things were taken and how many of them are true, after each place of a ranking."""

    taken: Numbers
    right: Numbers
    wanted: float

    def precision_at(self, number: int) -> float:
        """Return the share of true things among the first; where equal scores are cut, what chance would give."""
        within = min(float(number), float(self.taken[-1]))
        right = np.interp(within, np.append(0.0, self.taken), np.append(0.0, self.right))
        return float(right) / within

    def area(self) -> float:
        """Return the average precision: the precision at each place, weighted by the recall gained there.

        This is the area under the precision-recall curve taken as steps; straight lines between its points would
        promise what no threshold reaches.
        """
        if not self.wanted:
            return float("nan")
        precision = shares(self.right, self.taken, self.wanted).precision
        return float((np.diff(self.right, prepend=0.0) * precision).sum() / self.wanted)

    def best_f1(self) -> float:
        """Return the highest F1 that any threshold reaches."""
        if not self.wanted:
            return float("nan")
        return float(shares(self.right, self.taken, self.wanted).f1.max())
