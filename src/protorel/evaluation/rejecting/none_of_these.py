"""None of these: episodes with queries from outside the ways, and a rule that may leave a query without an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.redrawing import as_numbers, measured
from protorel.evaluation.rejecting.calibration import calibration_error
from protorel.evaluation.rejecting.open_answers import OpenAnswers
from protorel.evaluation.rejecting.rejection import Rejection
from protorel.evaluation.rejecting.risk_coverage import RiskCoverage, risk_coverage
from protorel.evaluation.result import Measurement, measure

_DRAWS = 200
_FIGURES = ("accuracy", "always_answering", "coverage", "precision", "recall", "area", "calibration_error")


@dataclass(frozen=True, slots=True)
class NoneOfThese:
    """What a rejecting rule makes of episodes; every interval is over episodes."""

    share: float
    """The share of queries that belong to none of the ways."""
    rejection: Rejection
    accuracy: Measurement
    """Known queries answered rightly and outsiders rejected."""
    always_answering: Measurement
    """The accuracy where nothing is rejected: every outsider is an error."""
    coverage: Measurement
    """The share of queries that are answered."""
    precision: Measurement | None
    """The share of the rejected queries that are outsiders; None where nothing is rejected."""
    recall: Measurement | None
    """The share of the outsiders that are rejected; None where there are none."""
    area: Measurement
    """The area under the curve of risk over coverage."""
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


def none_of_these(given: OpenAnswers, rejection: Rejection, *, share: float, seed: int = 0) -> NoneOfThese:
    """Judge a rejecting rule by how it answers episodes with outsiders."""
    scores, right, known = given.scores, given.right, given.known
    answered = rejection.answers(scores)
    confidence, probability = rejection.confidence(scores), rejection.probability(scores)
    caught = ~answered & ~known

    def redrawn(figure: Callable[[NDArray[np.int64]], float]) -> Measurement:
        rng = np.random.default_rng([seed, len(scores)])
        draws = [figure(rng.integers(len(scores), size=len(scores))) for _ in range(_DRAWS)]
        return measured(figure(np.arange(len(scores))), np.asarray(draws), count=len(scores))

    def share_of(whole: NDArray[np.bool_]) -> Measurement | None:
        return redrawn(lambda rows: _ratio(caught[rows], whole[rows])) if whole.any() else None

    return NoneOfThese(
        share=share,
        rejection=rejection,
        accuracy=measure((answered & right | caught).mean(axis=1)),
        always_answering=measure(right.mean(axis=1)),
        coverage=measure(answered.mean(axis=1)),
        precision=share_of(~answered),
        recall=share_of(~known),
        area=redrawn(lambda rows: risk_coverage(confidence[rows], right[rows]).area),
        calibration_error=redrawn(lambda rows: calibration_error(probability[rows], right[rows])),
        curve=risk_coverage(confidence, right),
    )


def _ratio(part: NDArray[np.bool_], whole: NDArray[np.bool_]) -> float:
    return float(part.sum() / whole.sum()) if whole.any() else float("nan")
