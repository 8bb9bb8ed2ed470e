"""Rejection: answers to open-set episodes, and a rule that answers "none of these" below a confidence threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import OpenEpisodes, mix_outsiders
from protorel.evaluation.few_shot.episodes import Exam, answered_right, episode_scores
from protorel.evaluation.few_shot.settings import EpisodeSettings
from protorel.evaluation.open_set.confidence import (
    CONFIDENCES,
    Scores,
    answer_probability,
    fit_temperature,
    risk_coverage,
)


@dataclass(frozen=True, slots=True)
class OpenAnswers:
    """Scores [episodes, queries, candidates], and the truth about each query."""

    scores: Scores
    right: NDArray[np.bool_]
    """Whether the best candidate is the query's relation; never for an outsider."""
    known: NDArray[np.bool_]
    """Whether the query's relation is one of the candidates."""


def draw_open(exam: Exam, settings: EpisodeSettings, *, share: float) -> OpenEpisodes:
    """Replace a share of the queries by outsiders, whose relation is not a candidate."""
    return mix_outsiders(exam.episodes, exam.rows, share=share, seed=settings.seed, groups=exam.groups)


def open_answers(
    vectors: Float[Tensor, "statements width"],
    drawn: OpenEpisodes,
    settings: EpisodeSettings,
    *,
    texts: Float[Tensor, "relations width"] | None = None,
) -> OpenAnswers:
    """Return the answers to episodes with outsiders, by a method on stored vectors."""
    scores = episode_scores(vectors, drawn.episodes, settings, texts=texts)
    return OpenAnswers(scores.numpy(), answered_right(scores) & drawn.known, drawn.known)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A rule that rejects queries, learned on relations that are not under test."""

    rule: str
    threshold: float
    """The lowest confidence at which a query is answered; minus infinity where every query is."""
    temperature: float
    """The temperature of the softmax that calibrates the probability of the best candidate."""

    def confidence(self, scores: Scores) -> NDArray[np.float64]:
        """Return the confidence in the best candidate."""
        return CONFIDENCES[self.rule](scores, self.temperature)

    def probability(self, scores: Scores) -> NDArray[np.float64]:
        """Return the calibrated probability that the best candidate is right."""
        return answer_probability(scores, self.temperature)

    def answers(self, scores: Scores) -> NDArray[np.bool_]:
        """Return which queries are answered."""
        return self.confidence(scores) >= self.threshold


def learn_rejection(answers: OpenAnswers, *, max_error: float | None = None) -> Rejection:
    """Return the rule and threshold with the highest accuracy and, among equals, the lowest area under the risk curve.

    With `max_error`, the threshold is the lowest at which no more than that share of the answers is wrong.
    """
    temperature = fit_temperature(answers.scores, answers.right)
    found = []
    for rule, confidence_of in CONFIDENCES.items():
        confidence = confidence_of(answers.scores, temperature)
        threshold, accuracy = most_accurate_threshold(confidence, answers.right, answers.known)
        if max_error is not None:
            threshold = threshold_for_error(confidence, answers.right, max_error)
        area = risk_coverage(confidence, answers.right).area
        found.append((accuracy, -area, Rejection(rule, threshold, temperature)))
    return max(found, key=lambda candidate: candidate[:2])[2]


def most_accurate_threshold(
    confidence: NDArray[np.float64], right: NDArray[np.bool_], known: NDArray[np.bool_]
) -> tuple[float, float]:
    """Return the lowest threshold with the highest share of correct answers and rejections, and that share."""
    values, place = np.unique(confidence.ravel(), return_inverse=True)
    if_answered = np.bincount(place, weights=right.ravel())
    if_rejected = np.bincount(place, weights=~known.ravel())
    # Entry k: the k lowest values are rejected.
    answered = np.append(np.cumsum(if_answered[::-1])[::-1], 0.0)
    rejected = np.append(0.0, np.cumsum(if_rejected))
    lowest = int(np.argmax(answered + rejected))
    return _between(values, lowest), float((answered + rejected)[lowest] / right.size)


def threshold_for_error(confidence: NDArray[np.float64], right: NDArray[np.bool_], max_error: float) -> float:
    """Return the lowest threshold at which no more than `max_error` of the answers are wrong."""
    values, place, counts = np.unique(confidence.ravel(), return_inverse=True, return_counts=True)
    wrong = np.cumsum(np.bincount(place, weights=~right.ravel())[::-1])[::-1]
    answered = np.cumsum(counts[::-1])[::-1]
    enough = np.flatnonzero(wrong <= max_error * answered)
    return _between(values, int(enough[0]) if len(enough) else len(values))


def _between(values: NDArray[np.float64], lowest: int) -> float:
    """Return a threshold that rejects exactly the first `lowest` of the sorted values."""
    if lowest == 0:
        return -np.inf
    if lowest == len(values):
        return float(np.nextafter(values[-1], np.inf))
    middle = float((values[lowest - 1] + values[lowest]) / 2)
    return middle if middle > values[lowest - 1] else float(values[lowest])
