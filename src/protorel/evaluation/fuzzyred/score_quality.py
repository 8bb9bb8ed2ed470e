"""How well a score separates true labels from false ones: by ranking, and by a threshold set on other relations.

Ranking needs no threshold, so a constant score earns nothing: 0.5 for the area under the ROC curve, and the share of
true labels for average precision. The threshold of a relation never sees that relation's labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.fuzzyred.judged_statements import Judged
from protorel.evaluation.measurement import Measurement, as_numbers, measure
from protorel.evaluation.true_labels import area_under_curve

_DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Ranking:
    """AUROC and average precision of one score, per relation and as means over relations."""

    auroc: dict[str, float]
    average_precision: dict[str, float]
    true_share: dict[str, float]
    """The average precision of a random score."""
    macro_auroc: Measurement
    macro_average_precision: Measurement
    auroc_redrawn: tuple[float, float]
    """The 95 % interval of the macro AUROC, bootstrapped over relations: it assumes no normal distribution."""

    def as_json(self) -> dict[str, Any]:
        """Return all figures as plain numbers."""
        return {
            "auroc": as_numbers(self.macro_auroc),
            "auroc_redrawn": list(self.auroc_redrawn),
            "average_precision": as_numbers(self.macro_average_precision),
            "true_share": sum(self.true_share.values()) / len(self.true_share),
            "per_relation": {
                name: {
                    "auroc": self.auroc[name],
                    "average_precision": self.average_precision[name],
                    "true_share": self.true_share[name],
                }
                for name in self.auroc
            },
        }


def average_precision(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """Return the mean over true labels of the share of true ones among all that score as high or higher.

    >>> average_precision(np.array([0.9, 0.8, 0.7]), np.array([True, False, True]))
    0.8333333333333333
    """
    of_true = np.sort(scores[truth])
    true_above = len(of_true) - np.searchsorted(of_true, of_true)
    all_above = len(scores) - np.searchsorted(np.sort(scores), of_true)
    return float((true_above / all_above).mean())


def rank(
    scores: Mapping[str, NDArray[np.float64]], truth: Mapping[str, NDArray[np.bool_]], *, seed: int = 0
) -> Ranking | None:
    """Rank each relation's statements by their scores [draws, statements]; figures are means over the draws.

    Draws are never averaged before ranking: the mean of a hundred single shots is not a single shot. A relation whose
    labels are all true or all false is left out; None where no relation remains.
    """
    areas, precisions, shares = {}, {}, {}
    for relation, drawn in scores.items():
        right = truth[relation]
        if right.all() or not right.any():
            continue
        areas[relation] = float(np.mean([area_under_curve(one, right) for one in drawn]))
        precisions[relation] = float(np.mean([average_precision(one, right) for one in drawn]))
        shares[relation] = float(right.mean())
    if not areas:
        return None
    values = np.asarray(list(areas.values()))
    lots = np.random.default_rng([seed, len(values)]).integers(len(values), size=(_DRAWS, len(values)))
    low, high = np.quantile(values[lots].mean(axis=1), [0.025, 0.975])
    macro = measure(list(precisions.values()))
    return Ranking(areas, precisions, shares, measure(values), macro, (float(low), float(high)))


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """Accuracy where each relation's threshold is set on the other relations."""

    accuracy: Measurement
    balanced_accuracy: Measurement | None
    """The mean of the shares of true labels accepted and of false ones rejected, over relations that have both."""
    per_relation: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """Return all figures as plain numbers."""
        return {
            "accuracy": as_numbers(self.accuracy),
            "balanced_accuracy": as_numbers(self.balanced_accuracy) if self.balanced_accuracy else None,
            "per_relation": self.per_relation,
        }


def best_threshold(scores: NDArray[np.float64], truth: NDArray[np.bool_], *, balanced: bool = False) -> float:
    """Return the threshold with the best accuracy, or balanced accuracy, where higher scores are accepted.

    It is midway between two scores, or infinite where it is best to accept all, or to reject all.

    >>> best_threshold(np.array([0.1, 0.4, 0.8]), np.array([False, True, True]))
    0.25
    """
    true, false = int(truth.sum()), int((~truth).sum())
    worth = np.where(truth, 1 / max(true, 1), -1 / max(false, 1)) if balanced else np.where(truth, 1.0, -1.0)
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    # Raising the threshold past a true label loses its worth; past a false one it gains.
    gained = np.concatenate([[0.0], -np.cumsum(worth[order])])
    gaps = np.concatenate([[True], ordered[1:] > ordered[:-1], [True]])
    at = int(np.argmax(np.where(gaps, gained, -np.inf)))
    if at == 0:
        return -np.inf
    return np.inf if at == len(ordered) else float((ordered[at - 1] + ordered[at]) / 2)


def leave_one_out(
    scores: Mapping[str, NDArray[np.float64]], truth: Mapping[str, NDArray[np.bool_]], *, balanced: bool = False
) -> LeaveOneOut | None:
    """Evaluate each relation, in each draw, at the best threshold of the others; None for fewer than two relations."""
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
    return LeaveOneOut(
        accuracy=measure(list(per_relation.values())),
        balanced_accuracy=measure(halves) if halves else None,
        per_relation=per_relation,
    )


@dataclass(frozen=True, slots=True)
class ScoreFigures:
    """The quality of one score on one group of relations; None where the group is too small for a figure."""

    relations: tuple[str, ...]
    ranking: Ranking | None
    for_accuracy: LeaveOneOut | None
    """At the thresholds with the best accuracy on the other relations."""
    for_balance: LeaveOneOut | None
    """At the thresholds with the best balanced accuracy on the other relations."""

    def as_json(self) -> dict[str, Any]:
        """Return all figures as plain numbers."""
        return {
            "relations": len(self.relations),
            "ranking": self.ranking.as_json() if self.ranking else None,
            "threshold_for_accuracy": self.for_accuracy.as_json() if self.for_accuracy else None,
            "threshold_for_balance": self.for_balance.as_json() if self.for_balance else None,
        }


def score_figures(
    scores: Mapping[str, NDArray[np.float64]], judged: Judged, relations: Iterable[str], *, seed: int
) -> ScoreFigures:
    """Evaluate a score on the given relations that have it; scores are [draws, statements] or [statements]."""
    group = tuple(name for name in relations if name in scores)
    drawn = {name: np.atleast_2d(scores[name]) for name in group}
    truth = {name: judged.truth[judged.rows[name]] for name in group}
    return ScoreFigures(
        group, rank(drawn, truth, seed=seed), leave_one_out(drawn, truth), leave_one_out(drawn, truth, balanced=True)
    )
