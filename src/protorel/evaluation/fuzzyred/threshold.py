"""A threshold that never saw the tested relation's labels: it is set on the other relations, one left out at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.result import Measurement, measure


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How statements are judged by thresholds from other relations."""

    accuracy: Measurement
    balanced_accuracy: Measurement | None
    """The mean of the shares of true labels kept and of false ones rejected, of relations that have both."""
    per_relation: dict[str, float]


def best_threshold(scores: NDArray[np.float64], truth: NDArray[np.bool_], *, balanced: bool = False) -> float:
    """Return the score from which on labels are best taken for true, by accuracy or by balanced accuracy.

    It lies midway between two scores, or is infinite where all had better be accepted, or rejected.
    """
    true, false = int(truth.sum()), int((~truth).sum())
    worth = np.where(truth, 1 / max(true, 1), -1 / max(false, 1)) if balanced else np.where(truth, 1.0, -1.0)
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    # Raising the threshold past a true label costs what that label is worth; past a false one it gains.
    gained = np.concatenate([[0.0], -np.cumsum(worth[order])])
    gaps = np.concatenate([[True], ordered[1:] > ordered[:-1], [True]])
    at = int(np.argmax(np.where(gaps, gained, -np.inf)))
    if at == 0:
        return -np.inf
    return np.inf if at == len(ordered) else float((ordered[at - 1] + ordered[at]) / 2)


def leave_one_out(
    scores: Mapping[str, NDArray[np.float64]], truth: Mapping[str, NDArray[np.bool_]], *, balanced: bool = False
) -> LeftOut | None:
    """Judge each relation, in each draw, by the threshold that suits the others best; there must be two or more."""
    if len(scores) < 2:
        return None
    right = {}
    for relation, drawn in scores.items():
        others = [name for name in scores if name != relation]
        their_truth = np.concatenate([truth[name] for name in others])
        accepted = [
            drawn[i]
            > best_threshold(np.concatenate([scores[name][i] for name in others]), their_truth, balanced=balanced)
            for i in range(len(drawn))
        ]
        right[relation] = (np.asarray(accepted) == truth[relation]).mean(axis=0)
    both = [name for name in scores if 0 < truth[name].sum() < len(truth[name])]
    halves = [(right[name][truth[name]].mean() + right[name][~truth[name]].mean()) / 2 for name in both]
    per_relation = {name: float(values.mean()) for name, values in right.items()}
    return LeftOut(
        accuracy=measure(list(per_relation.values())),
        balanced_accuracy=measure(halves) if halves else None,
        per_relation=per_relation,
    )
