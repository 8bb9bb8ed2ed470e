"""Open-set figures: how well a rejection rule answers "none of these" to queries that belong to no candidate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import OpenEpisodes
from protorel.evaluation.embedding_space import EmbeddingSpace
from protorel.evaluation.few_shot.settings import EpisodeSettings, NoneSettings
from protorel.evaluation.measurement import Measurement, as_numbers, bootstrap_measurement, measure
from protorel.evaluation.open_set.confidence import RiskCoverage, calibration_error, risk_coverage
from protorel.evaluation.open_set.held_out_rejection import HeldOutExam, HeldOutRejection, learn_held_out_rejection
from protorel.evaluation.open_set.rejection import OpenAnswers, Rejection, open_answers
from protorel.statements import Descriptions, Equivalents, Statement

_DRAWS = 200
_FIGURES = ("accuracy", "always_answering", "coverage", "precision", "recall", "area", "calibration_error")


@dataclass(frozen=True, slots=True)
class NoneOfThese:
    """Figures of a rejection rule; every interval is over episodes."""

    share: float
    """The share of queries that belong to no candidate relation: outsiders."""
    rejection: Rejection
    accuracy: Measurement
    """The share of queries that are answered correctly or, if outsiders, rejected."""
    always_answering: Measurement
    """The accuracy if every query is answered, so that every outsider is an error."""
    coverage: Measurement
    """The share of queries that are answered."""
    precision: Measurement | None
    """The share of outsiders among rejected queries; None where no query is rejected."""
    recall: Measurement | None
    """The share of outsiders that are rejected; None where there are none."""
    area: Measurement
    """The area under the risk-coverage curve."""
    calibration_error: Measurement
    curve: RiskCoverage

    def __str__(self) -> str:
        return (
            f"{100 * self.share:.0f}% from outside: {self.accuracy}, always answering {self.always_answering}; "
            f"area of risk {self.area.value:.4f}, calibration error {self.calibration_error.value:.4f}"
        )

    def as_json(self) -> dict[str, Any]:
        """Return the figures, and the curve's points as coverage and risk."""
        figures = {name: as_numbers(found) for name in _FIGURES if (found := getattr(self, name)) is not None}
        return {"share": self.share, **dict.fromkeys(_FIGURES), **figures, "curve": self.curve.points()}


def none_of_these(answers: OpenAnswers, rejection: Rejection, *, share: float, seed: int = 0) -> NoneOfThese:
    """Return the figures of a rejection rule on episodes with outsiders."""
    scores, right, known = answers.scores, answers.right, answers.known
    answered = rejection.answers(scores)
    confidence, probability = rejection.confidence(scores), rejection.probability(scores)
    caught = ~answered & ~known

    def bootstrapped(figure: Callable[[NDArray[np.int64]], float]) -> Measurement:
        rng = np.random.default_rng([seed, len(scores)])
        draws = [figure(rng.integers(len(scores), size=len(scores))) for _ in range(_DRAWS)]
        return bootstrap_measurement(figure(np.arange(len(scores))), np.asarray(draws), count=len(scores))

    def share_of(whole: NDArray[np.bool_]) -> Measurement | None:
        return bootstrapped(lambda rows: _ratio(caught[rows], whole[rows])) if whole.any() else None

    return NoneOfThese(
        share=share,
        rejection=rejection,
        accuracy=measure((answered & right | caught).mean(axis=1)),
        always_answering=measure(right.mean(axis=1)),
        coverage=measure(answered.mean(axis=1)),
        precision=share_of(~answered),
        recall=share_of(~known),
        area=bootstrapped(lambda rows: risk_coverage(confidence[rows], right[rows]).area),
        calibration_error=bootstrapped(lambda rows: calibration_error(probability[rows], right[rows])),
        curve=risk_coverage(confidence, right),
    )


def _ratio(part: NDArray[np.bool_], whole: NDArray[np.bool_]) -> float:
    return float(part.sum() / whole.sum()) if whole.any() else float("nan")


@dataclass(frozen=True, slots=True)
class OpenSetPlan:
    """Episodes with outsiders: those under test, and those that a rejection rule is learned from."""

    settings: NoneSettings
    episodes: EpisodeSettings
    equivalents: Equivalents
    tested: OpenEpisodes
    held_out: HeldOutExam


@dataclass(frozen=True, slots=True)
class OpenSetEvaluation:
    """A rejection rule that was learned from other relations, and its figures on those under test."""

    rule: HeldOutRejection
    figures: NoneOfThese

    def as_json(self) -> dict[str, Any]:
        """Return the figures, and what the rule was learned from."""
        return self.figures.as_json() | {"held_out": self.rule.as_json()}


def evaluate_open_set(
    space: EmbeddingSpace,
    plan: OpenSetPlan,
    statements: Sequence[Statement],
    texts: Float[Tensor, "relations width"] | None,
    descriptions: Descriptions | None,
) -> OpenSetEvaluation:
    """Learn a rejection rule from held-out relations, and evaluate it on the statements under test.

    `texts` holds the vectors of the relations under test; held-out relations are read from `descriptions`.
    """
    rule = learn_held_out_rejection(
        space, plan.held_out, plan.settings, equivalents=plan.equivalents, descriptions=descriptions
    )
    answers = open_answers(space.statements(statements), plan.tested, plan.episodes, texts=texts)
    figures = none_of_these(answers, rule.rejection, share=plan.settings.share, seed=plan.episodes.seed)
    return OpenSetEvaluation(rule, figures)
