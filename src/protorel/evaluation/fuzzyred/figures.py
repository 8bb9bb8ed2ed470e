"""The figures of FuzzyRED: by the paper's rule, by ranking, by a threshold from other relations, and of constants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.fuzzyred.judged import Judged
from protorel.evaluation.fuzzyred.ranking import Ranking, rank
from protorel.evaluation.fuzzyred.rule import RuleResult, Shots, paper_rule
from protorel.evaluation.fuzzyred.scores import LabelScores
from protorel.evaluation.fuzzyred.threshold import LeftOut, leave_one_out

EVERY, SEEN, UNSEEN = "every", "seen", "unseen"


@dataclass(frozen=True, slots=True)
class Baselines:
    """Accuracy with no model at all."""

    accept_all: float
    reject_all: float
    majority: float
    """Each relation's commoner answer for all of its statements: it needs to know which that is."""


@dataclass(frozen=True, slots=True)
class ScoreFigures:
    """What one score is worth on one group of relations; None where the group is too small for a figure."""

    relations: tuple[str, ...]
    ranking: Ranking | None
    for_accuracy: LeftOut | None
    """By thresholds that give the other relations their best accuracy."""
    for_balance: LeftOut | None
    """By thresholds that give the other relations their best balanced accuracy."""


@dataclass(frozen=True, slots=True)
class ShotFigures:
    """All that K drawn true statements give."""

    rule: RuleResult
    groups: dict[str, ScoreFigures]
    repeated: tuple[str, ...]
    """Relations in which some statement had fewer than K others, so that they were drawn with replacement."""
    left_out: tuple[str, ...]
    """Relations with fewer than two true statements: none of them can be compared with another."""


@dataclass(frozen=True, slots=True)
class FuzzyRedResult:
    """Everything that is judged."""

    statements: int
    true: int
    groups: dict[str, tuple[str, ...]]
    """Which relations the run was trained on, by meaning, and which it was not."""
    baselines: Baselines
    shots: dict[int, ShotFigures]
    by_prototype: dict[str, ScoreFigures]
    """Every score by the run's own prototypes, on the relations that have one."""
    by_description: dict[str, dict[str, ScoreFigures]]
    """For each group, every score by descriptions; empty without descriptions."""
    undescribed: tuple[str, ...]

    def notes(self) -> list[str]:
        """Return what somebody who reads the figures must know, each in a line."""
        said = []
        for shot, figures in self.shots.items():
            if figures.repeated:
                few = ", ".join(figures.repeated)
                said.append(
                    f"{shot} shots were drawn with replacement in relations with too few true statements: {few}"
                )
        if left_out := sorted({name for figures in self.shots.values() for name in figures.left_out}):
            said.append(f"relations with fewer than two true statements have no shots: {', '.join(left_out)}")
        if self.undescribed:
            said.append(f"relations with no description: {', '.join(self.undescribed)}")
        return said


def trivial(judged: Judged) -> Baselines:
    """Return what constants score."""
    true = float(judged.truth.mean())
    common = sum(max(judged.truth[rows].sum(), (~judged.truth[rows]).sum()) for rows in judged.rows.values())
    return Baselines(true, 1 - true, float(common / len(judged.truth)))


def score_figures(
    scores: Mapping[str, NDArray[np.float64]], judged: Judged, relations: Iterable[str], *, seed: int
) -> ScoreFigures:
    """Judge one score on those of the relations that have it; scores are [draws, statements], or [statements]."""
    group = tuple(name for name in relations if name in scores)
    drawn = {name: np.atleast_2d(scores[name]) for name in group}
    truth = {name: judged.truth[judged.rows[name]] for name in group}
    return ScoreFigures(
        group, rank(drawn, truth, seed=seed), leave_one_out(drawn, truth), leave_one_out(drawn, truth, balanced=True)
    )


def tabulate(scores: LabelScores, judged: Judged, relations: Sequence[str], *, seed: int) -> dict[str, ScoreFigures]:
    """Judge every score on those of the relations that have it; without any there is nothing to tell."""
    figures = {name: score_figures(one, judged, relations, seed=seed) for name, one in scores.items()}
    return {name: one for name, one in figures.items() if one.relations}


def shot_figures(
    scored: list[Shots], judged: Judged, groups: Mapping[str, tuple[str, ...]], *, shot: int, seed: int
) -> ShotFigures:
    """Judge what K drawn true statements say."""
    scores = {one.relation: one.scores for one in scored}
    return ShotFigures(
        rule=paper_rule(scored, judged, shot=shot),
        groups={name: score_figures(scores, judged, group, seed=seed) for name, group in groups.items()},
        repeated=tuple(one.relation for one in scored if one.repeated),
        left_out=tuple(name for name in judged.relations if name not in scores),
    )
