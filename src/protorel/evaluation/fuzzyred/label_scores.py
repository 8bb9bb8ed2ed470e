"""Scores of a label by its relation's prototype or description, compared with those of other relations.

A higher score means that the label looks right; no score sees whether it is. `log_chance` is the default, because
training raises it: the log-probability of a statement's own relation among all that have a prototype, or a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.evaluation.fuzzyred.judged_statements import Judged
from protorel.geometry import cosine
from protorel.statements import Equivalents

DEFAULT_SCORE = "log_chance"
SCALE = 20.0
"""The factor on cosines before their softmax: where training starts."""

LabelScores = dict[str, dict[str, NDArray[np.float64]]]
"""By name of the score, then by relation: one number per statement of the relation."""


@dataclass(frozen=True, slots=True)
class Targets:
    """Vectors of relations, and which of them mean which tested relation."""

    vectors: Float[Tensor, "targets width"]
    means: dict[str, NDArray[np.bool_]]
    """For each tested relation that has a target: which targets mean it."""

    @classmethod
    def of(
        cls,
        vectors: Float[Tensor, "targets width"],
        names: Sequence[str],
        relations: Sequence[str],
        equivalents: Equivalents,
    ) -> Targets:
        """Find the targets of each relation by meaning; a relation without any is not in `means`."""
        meanings = [equivalents.meaning(name) for name in names]
        means = {
            relation: np.asarray([not sought.isdisjoint(meaning) for meaning in meanings], dtype=bool)
            for relation in relations
            for sought in [equivalents.meaning(relation)]
        }
        return cls(vectors, {relation: found for relation, found in means.items() if found.any()})


def label_scores(
    vectors: Float[Tensor, "statements width"],
    judged: Judged,
    targets: Targets,
    *,
    background: Float[Tensor, "others width"] | None = None,
) -> LabelScores:
    """Return every score for the statements of every relation that has a target."""
    if not targets.means:
        return {}
    among_tested = np.any(list(targets.means.values()), axis=0)
    before = cosine(background, targets.vectors).double().numpy() if background is not None else None
    found: LabelScores = {}
    for relation, own in targets.means.items():
        cosines = cosine(vectors[judged.rows[relation]], targets.vectors).double().numpy()
        scores = {"cosine": cosines[:, own].max(axis=1)}
        scores |= contrasted(cosines, own, ~own)
        scores |= {f"tested_{name}": one for name, one in contrasted(cosines, own, among_tested & ~own).items()}
        if before is not None:
            usual = (cosines - before.mean(axis=0)) / _spread(before, 0)
            scores["background_cosine"] = usual[:, own].max(axis=1)
            unscaled = contrasted(usual, own, ~own)
            scores |= {f"background_{name}": one for name, one in unscaled.items() if name != DEFAULT_SCORE}
        for name, one in scores.items():
            found.setdefault(name, {})[relation] = one
    # A score that only some relations have would be averaged over fewer relations than the other scores.
    return {name: one for name, one in found.items() if one.keys() == targets.means.keys()}


def contrasted(
    cosines: Float[NDArray[np.float64], "statements targets"], own: NDArray[np.bool_], others: NDArray[np.bool_]
) -> dict[str, NDArray[np.float64]]:
    """Compare the cosine to a relation's own target with those to others; without others there is no such score."""
    if not others.any():
        return {}
    to_own, to_others = cosines[:, own].max(axis=1), cosines[:, others]
    together = np.concatenate([to_own[:, None], to_others], axis=1)
    return {
        "less_mean": to_own - to_others.mean(axis=1),
        "less_closest": to_own - to_others.max(axis=1),
        "standardised": (to_own - together.mean(axis=1)) / _spread(together, 1),
        DEFAULT_SCORE: SCALE * to_own - np.logaddexp.reduce(SCALE * together, axis=1),
    }


def _spread(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return the standard deviation, but never 0, so that constant values give 0 and not NaN."""
    spread: NDArray[np.float64] = np.maximum(values.std(axis=axis), 1e-12)
    return spread
