"""Fitting a calibration to held-out pairs: pooled maps, one map per relation shrunk towards them, and one for none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from protorel.model.answers.calibration import Calibration, Numbers, independent_none, sigmoid
from protorel.model.answers.calibration_file import Curve, HeldOut, Interval, Line
from protorel.statements import BadInput

BINS = 15
FOLDS = 5
_SLOPE_SPREAD = 0.25
"""How far a relation's slope is expected to differ from the pooled one, as a share of it (standard deviation)."""
_OFFSET_SPREAD = 1.0
"""How far a relation's offset is expected to differ from the pooled one."""
_LEAST_LISTED = 0.1
"""Held-out answers below this probability are not kept for thresholds."""
_DRAWS = 500
_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Pairs:
    """Held-out pairs: what the model measured, and what is true."""

    cosines: NDArray[np.floating]
    """One row per pair, one column per relation."""
    labels: NDArray[np.bool_]
    """Which relations hold."""
    documents: NDArray[np.int64]
    """The number of the document of each pair; resampling and folds keep a document together."""

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Pairs:
        """Return some of the pairs."""
        return Pairs(self.cosines[rows], self.labels[rows], self.documents[rows])


def fit_calibration(start: Calibration, pairs: Pairs, held_out: HeldOut) -> Calibration:
    """Fit slopes, offsets and the map of none to held-out pairs.

    Args:
        start: Where the maps start from; only their order of scores matters within a relation.
        pairs: The held-out pairs.
        held_out: What is known of them; its calibration error is measured here, by cross-fitting over documents.

    Returns:
        The calibration, at the share of none of the pairs.

    Raises:
        BadInput: no pair holds a relation, or all do.
    """
    related = pairs.labels.any(axis=1)
    if not related.any() or related.all():
        found = "none that holds a relation" if not related.any() else "only pairs that hold one"
        raise BadInput(
            f"{held_out.name}: expected held-out pairs with and without the model's relations, got {found}. "
            "Label pairs without a relation no_relation"
        )
    share = float(1 - related.mean())
    fitted = replace(_fit(start, pairs), measured_share=share, none_share=share)
    relations, none = _cross_fitted(start, pairs)
    curve = _curve(relations, pairs)
    sure, right = answered(relations, none, pairs.labels)
    error = _with_interval(lambda rows: calibration_error(sure[rows], right[rows]), pairs.documents)
    held_out = held_out.model_copy(update={"none_share": share, "calibration_error": error})
    return replace(fitted, held_out=held_out, curve=curve)


def _fit(start: Calibration, pairs: Pairs) -> Calibration:
    base = start.logits(pairs.cosines)
    slope, offset = fit_line(base.ravel(), pairs.labels.ravel())
    slopes, offsets = np.full(base.shape[1], slope), np.full(base.shape[1], offset)
    for column in np.flatnonzero(pairs.labels.any(axis=0)):
        slopes[column], offsets[column] = fit_line(
            base[:, column],
            pairs.labels[:, column],
            centre=(slope, offset),
            spread=(_SLOPE_SPREAD * abs(slope) + 1e-3, _OFFSET_SPREAD),
        )
    logits = base * slopes + offsets
    none = Line(**dict(zip(("slope", "offset"), _fit_none(logits, pairs.labels), strict=True)))
    return replace(
        start,
        slope=start.slope * slopes,
        offset=start.offset * slopes + offsets,
        positives=pairs.labels.sum(axis=0).astype(np.int64),
        none=none,
    )


def _fit_none(logits: Numbers, labels: NDArray[np.bool_]) -> tuple[float, float]:
    return fit_line(independent_none(logits), np.logical_not(labels.any(axis=1)), centre=(1.0, 0.0), spread=(1.0, 3.0))


def fit_line(
    scores: Numbers,
    holds: NDArray[np.bool_],
    *,
    centre: tuple[float, float] = (1.0, 0.0),
    spread: tuple[float, float] = (10.0, 10.0),
) -> tuple[float, float]:
    """Fit p = σ(slope · score + offset) by Newton's method, with a normal prior around `centre`.

    Args:
        scores: One score per item.
        holds: Whether the item is true.
        centre: The slope and offset that an item-free fit has.
        spread: Standard deviations of the prior.

    Returns:
        Slope and offset.

    >>> scores = np.array([-2.0, -1.0, 0.0, 1.0, 2.0, 3.0])
    >>> slope, _ = fit_line(scores, scores > 0.5)
    >>> slope > 1
    True
    """
    truth = holds.astype(np.float64)
    centred = np.array(centre, dtype=np.float64)
    precision = np.diag(1.0 / np.square(np.array(spread, dtype=np.float64)))

    def loss(at: Numbers) -> float:
        logits = at[0] * scores + at[1]
        return float(
            (np.logaddexp(0.0, logits) - truth * logits).sum() + 0.5 * (at - centred) @ precision @ (at - centred)
        )

    at, now = centred.copy(), np.inf
    for _ in range(_ROUNDS):
        p = sigmoid(at[0] * scores + at[1])
        error, weight = p - truth, p * (1 - p)
        gradient = np.array([error @ scores, error.sum()]) + precision @ (at - centred)
        cross = weight @ scores
        curvature = np.array([[(weight * scores) @ scores, cross], [cross, weight.sum()]]) + precision
        step = np.linalg.solve(curvature, gradient)
        now = loss(at)
        while (reached := loss(at - step)) > now and np.abs(step).max() > 1e-12:
            step = step / 2  # Newton's step can be too long where the sigmoid is flat
        at = at - step
        if now - reached < 1e-9 * max(1.0, abs(now)):
            break
    return float(at[0]), float(at[1])


def _cross_fitted(start: Calibration, pairs: Pairs) -> tuple[Numbers, Numbers]:
    """Return probabilities of each pair by maps that were fitted to pairs of other documents."""
    relations, none = np.zeros(pairs.labels.shape), np.zeros(len(pairs))
    fold = _folds(pairs.documents)
    for number in np.unique(fold):
        inside = fold == number
        others = pairs.take(~inside)
        fitted = _fit(start, others if others.labels.any() else pairs)
        relations[inside], none[inside] = fitted.probabilities(pairs.cosines[inside])
    return relations, none


def _folds(documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Deal documents into folds, in the order of their numbers."""
    _, number = np.unique(documents, return_inverse=True)
    found: NDArray[np.int64] = number % FOLDS
    return found


def answered(
    relations: Numbers, none: Numbers, labels: NDArray[np.bool_], *, threshold: float = 0.5
) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the probability of the answer to each pair, and whether it is right.

    The answer is the most probable relation, or none if that does not reach the threshold.
    """
    rows, best = np.arange(len(relations)), relations.argmax(axis=1)
    highest = relations[rows, best]
    given = highest >= threshold
    return np.where(given, highest, none), np.where(given, labels[rows, best], ~labels.any(axis=1))


def calibration_error(sure: Numbers, right: NDArray[np.bool_], *, bins: int = BINS) -> float:
    """Return the expected calibration error: how far probability and accuracy differ within bins of equal width."""
    bin_of = np.minimum((sure * bins).astype(np.int64), bins - 1)
    differences = np.bincount(bin_of, weights=right - sure, minlength=bins)
    return float(np.abs(differences).sum() / len(sure))


def _with_interval(figure: Callable[[NDArray[np.int64]], float], documents: NDArray[np.int64]) -> Interval:
    """Return a figure with the interval that redrawing documents gives.

    Redrawing inflates a calibration error, which is a sum of absolute values; the mean excess is taken off.
    """
    _, number = np.unique(documents, return_inverse=True)
    order = np.argsort(number, kind="stable")
    rows_of = np.split(order, np.cumsum(np.bincount(number))[:-1])
    rng = np.random.default_rng(0)
    draws = [
        figure(np.concatenate([rows_of[place] for place in rng.integers(len(rows_of), size=len(rows_of))]))
        for _ in range(_DRAWS)
    ]
    value = figure(np.arange(len(documents)))
    low, high = np.quantile(draws, [0.025, 0.975]) - (np.mean(draws) - value)
    return Interval(value=value, low=max(0.0, float(low)), high=float(high))


def _curve(relations: Numbers, pairs: Pairs) -> Curve:
    """List the held-out answers, the most probable first."""
    labels = pairs.labels
    _, documents = np.unique(pairs.documents, return_inverse=True)
    listed = np.argwhere(relations >= _LEAST_LISTED)
    probability = relations[listed[:, 0], listed[:, 1]]
    order = np.argsort(-probability, kind="stable")
    right = labels[listed[:, 0], listed[:, 1]][order]
    return Curve(
        probability=[round(float(value), 4) for value in probability[order]],
        right=[int(value) for value in right],
        document=documents[listed[order, 0]].tolist(),
        labels=int(labels.sum()),
    )


def document_numbers(documents: Sequence[str | None]) -> NDArray[np.int64]:
    """Number documents; each pair without a document counts as one of its own."""
    numbers: dict[str, int] = {}
    found = [
        numbers.setdefault(f"#{place}" if document is None else document, len(numbers))
        for place, document in enumerate(documents)
    ]
    return np.asarray(found, dtype=np.int64)
