"""How well a score puts true labels above false ones: areas in each relation, and over relations with intervals.

There is no threshold in it, so that a constant earns nothing: 0.5 for the area under the ROC curve, and the share of
true labels for average precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.result import Measurement, measure
from protorel.evaluation.true_labels import area_under_curve

_REDRAWN = 2000


@dataclass(frozen=True, slots=True)
class Ranking:
    """Both areas of one score, for each relation and as means over relations."""

    auroc: dict[str, float]
    average_precision: dict[str, float]
    true_share: dict[str, float]
    """What average precision would be for a score without meaning."""
    macro_auroc: Measurement
    macro_average_precision: Measurement
    auroc_redrawn: tuple[float, float]
    """95 % of the macro areas that redrawn relations have: no bell curve is assumed, as it is for the margins."""


def average_precision(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """Return the mean over true labels of the share of true ones among all that score as high or higher."""
    of_true = np.sort(scores[truth])
    true_above = len(of_true) - np.searchsorted(of_true, of_true)
    all_above = len(scores) - np.searchsorted(np.sort(scores), of_true)
    return float((true_above / all_above).mean())


def rank(
    scores: Mapping[str, NDArray[np.float64]], truth: Mapping[str, NDArray[np.bool_]], *, seed: int = 0
) -> Ranking | None:
    """Rank the statements of each relation by their scores [draws, statements]; figures are means over the draws.

    Draws are never averaged before they are ranked: the mean of a hundred single shots is no single shot. Without a
    relation that has true labels and false ones there is nothing to rank.
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
    lots = np.random.default_rng([seed, len(values)]).integers(len(values), size=(_REDRAWN, len(values)))
    low, high = np.quantile(values[lots].mean(axis=1), [0.025, 0.975])
    macro = measure(list(precisions.values()))
    return Ranking(areas, precisions, shares, measure(values), macro, (float(low), float(high)))
