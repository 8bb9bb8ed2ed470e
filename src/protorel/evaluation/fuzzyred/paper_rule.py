"""FuzzyRED by the paper's rule (section 4.2, algorithm 3): K true statements are drawn, and a minimum decides.

The rule sees the answers: its threshold is the lowest score of any two true statements of the relation, so a true
statement is rejected only at equality. Its accuracy can hardly fall below the share of true labels, and rejecting
everything may beat it. Use it only to compare with the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.evaluation.fuzzyred.judged_statements import Judged
from protorel.evaluation.measurement import Measurement, measure
from protorel.geometry import Similarity, cosine
from protorel.statements import BadInput

SHOTS = (1, 3, 5)
DRAWS = 100


@dataclass(frozen=True, slots=True)
class Shots:
    """The scores of one relation's statements by K drawn true ones."""

    relation: str
    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    """[draws, statements]: the mean similarity to the drawn statements."""
    accepted: NDArray[np.bool_]
    """[draws, statements]: whether that mean exceeds the threshold."""
    threshold: float
    repeated: bool
    """Whether some statement had fewer than K others to draw from, so that they were drawn with replacement."""


@dataclass(frozen=True, slots=True)
class RuleResult:
    """Accuracy by the paper's rule; that of a statement is its share of correct draws."""

    shot: int
    accuracy: Measurement
    over_relations: Measurement
    per_relation: dict[str, float]
    kept_true: float
    """The share of true labels accepted: by construction 1, except at equality."""
    rejected_false: float
    """The share of false labels rejected: the only part of the accuracy that depends on the model."""


def draw_true(
    pool: int, own: NDArray[np.int64], *, shot: int, draws: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw K of `pool` true statements, `draws` times per statement: places in the pool [statements, draws, K].

    `own` is a statement's own place in the pool, or -1: a statement is never drawn for itself. Draws are with
    replacement only where there are fewer than K others.
    """
    drawn = np.empty((len(own), draws, shot), dtype=np.int64)
    for row, place in enumerate(own.tolist()):
        others = np.delete(np.arange(pool), place) if place >= 0 else np.arange(pool)
        if len(others) >= shot:
            lots = np.broadcast_to(others, (draws, len(others)))
            drawn[row] = rng.permuted(lots, axis=1)[:, :shot]
        else:
            drawn[row] = rng.choice(others, size=(draws, shot))
    return drawn


def draw_shots(
    vectors: Float[Tensor, "statements width"],
    judged: Judged,
    *,
    shot: int,
    draws: int = DRAWS,
    seed: int = 0,
    similarity: Similarity = cosine,
) -> list[Shots]:
    """Score every statement by drawn true ones of its relation; those with fewer than two true ones are left out."""
    if shot < 1:
        raise BadInput(f"shot: expected 1 or more, got {shot}")
    scored = []
    for number, (relation, rows) in enumerate(judged.rows.items()):
        true = judged.true_rows(relation)
        if len(true) < 2:
            continue
        alike = similarity(vectors[rows].double(), vectors[true].double()).numpy()
        among = alike[judged.truth[rows]]
        # A matrix product may give (a, b) and (b, a) scores that differ in the last digit.
        alike[judged.truth[rows]] = among = (among + among.T) / 2
        threshold = float(among[~np.eye(len(true), dtype=bool)].min())
        own = np.full(len(rows), -1)
        own[judged.truth[rows]] = np.arange(len(true))
        drawn = draw_true(len(true), own, shot=shot, draws=draws, rng=np.random.default_rng([seed, shot, number]))
        to_drawn = alike[np.arange(len(rows))[:, None, None], drawn]
        # The threshold is subtracted before the mean: a mean of equal numbers may differ from them in the last digit.
        accepted = (to_drawn - threshold).mean(-1) > 0
        scored.append(Shots(relation, rows, to_drawn.mean(-1).T, accepted.T, threshold, repeated=len(true) - 1 < shot))
    if not scored:
        raise BadInput("expected a relation with two statements that express it, got none")
    return scored


def paper_rule(scored: list[Shots], judged: Judged, *, shot: int) -> RuleResult:
    """Return the accuracy of what the rule accepts."""
    right = {one.relation: (one.accepted == judged.truth[one.rows]).mean(axis=0) for one in scored}
    every = np.concatenate(list(right.values()))
    truth = np.concatenate([judged.truth[one.rows] for one in scored])
    per_relation = {name: float(values.mean()) for name, values in right.items()}
    return RuleResult(
        shot=shot,
        accuracy=measure(every),
        over_relations=measure(list(per_relation.values())),
        per_relation=per_relation,
        kept_true=float(every[truth].mean()),
        rejected_false=float(every[~truth].mean()) if not truth.all() else float("nan"),
    )
