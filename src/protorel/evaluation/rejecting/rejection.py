"""When to say "none of these": a confidence, and the threshold below which no answer is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.rejecting.calibration import answer_probability, fit_temperature
from protorel.evaluation.rejecting.open_answers import OpenAnswers, Scores
from protorel.evaluation.rejecting.risk_coverage import risk_coverage


def best(scores: Scores, temperature: float) -> NDArray[np.float64]:  # noqa: ARG001
    """Be as sure as the best way is similar."""
    highest: NDArray[np.float64] = scores.max(-1).astype(np.float64)
    return highest


def margin(scores: Scores, temperature: float) -> NDArray[np.float64]:
    """Be as sure as the best way is ahead of the second."""
    if scores.shape[-1] == 1:
        return best(scores, temperature)
    ordered = np.sort(scores, axis=-1).astype(np.float64)
    ahead: NDArray[np.float64] = ordered[..., -1] - ordered[..., -2]
    return ahead


def above_mean(scores: Scores, temperature: float) -> NDArray[np.float64]:  # noqa: ARG001
    """Be as sure as the best way is ahead of the ways' mean, which tells how alike anything is to the query."""
    ahead: NDArray[np.float64] = scores.max(-1).astype(np.float64) - scores.mean(-1, dtype=np.float64)
    return ahead


CONFIDENCES: Mapping[str, Callable[[Scores, float], NDArray[np.float64]]] = {
    "best": best,
    "margin": margin,
    "above_mean": above_mean,
    "probability": answer_probability,
}
"""How sure one is of the best way, by name."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """A rule by which queries are left without an answer, learned on relations that are not under test."""

    rule: str
    threshold: float
    """The smallest confidence that is enough for an answer; minus infinity where everything is answered."""
    temperature: float
    """What makes the probability of the best way the share of right answers."""

    def confidence(self, scores: Scores) -> NDArray[np.float64]:
        """Return how sure the rule is of the best way."""
        return CONFIDENCES[self.rule](scores, self.temperature)

    def probability(self, scores: Scores) -> NDArray[np.float64]:
        """Return the calibrated probability that the best way is right."""
        return answer_probability(scores, self.temperature)

    def answers(self, scores: Scores) -> NDArray[np.bool_]:
        """Tell which queries get an answer."""
        return self.confidence(scores) >= self.threshold


def learn_rejection(given: OpenAnswers, *, wanted_error: float | None = None) -> Rejection:
    """Choose the rule and its threshold that give most accuracy, and among equals the least area of risk.

    With `wanted_error` the threshold is instead the lowest at which no more than that share of the answers is wrong.
    """
    temperature = fit_temperature(given.scores, given.right)
    found = []
    for rule, sure in CONFIDENCES.items():
        confidence = sure(given.scores, temperature)
        threshold, accuracy = most_accurate_threshold(confidence, given.right, given.known)
        if wanted_error is not None:
            threshold = threshold_for_error(confidence, given.right, wanted_error)
        area = risk_coverage(confidence, given.right).area
        found.append((accuracy, -area, Rejection(rule, threshold, temperature)))
    return max(found, key=lambda candidate: candidate[:2])[2]


def most_accurate_threshold(
    confidence: NDArray[np.float64], right: NDArray[np.bool_], known: NDArray[np.bool_]
) -> tuple[float, float]:
    """Return the lowest threshold with the highest accuracy, right answers and right rejections, and that accuracy."""
    values, place = np.unique(confidence.ravel(), return_inverse=True)
    if_answered = np.bincount(place, weights=right.ravel())
    if_rejected = np.bincount(place, weights=~known.ravel())
    # Entry k: the k lowest values are rejected.
    answered = np.append(np.cumsum(if_answered[::-1])[::-1], 0.0)
    rejected = np.append(0.0, np.cumsum(if_rejected))
    lowest = int(np.argmax(answered + rejected))
    return _between(values, lowest), float((answered + rejected)[lowest] / right.size)


def threshold_for_error(confidence: NDArray[np.float64], right: NDArray[np.bool_], wanted: float) -> float:
    """Return the lowest threshold above which no more than the wanted share of the answers is wrong."""
    values, place, counts = np.unique(confidence.ravel(), return_inverse=True, return_counts=True)
    wrong = np.cumsum(np.bincount(place, weights=~right.ravel())[::-1])[::-1]
    answered = np.cumsum(counts[::-1])[::-1]
    enough = np.flatnonzero(wrong <= wanted * answered)
    return _between(values, int(enough[0]) if len(enough) else len(values))


def _between(values: NDArray[np.float64], lowest: int) -> float:
    """Return a threshold that rejects the `lowest` of the sorted values and no other."""
    if lowest == 0:
        return -np.inf
    if lowest == len(values):
        return float(np.nextafter(values[-1], np.inf))
    middle = float((values[lowest - 1] + values[lowest]) / 2)
    return middle if middle > values[lowest - 1] else float(values[lowest])
