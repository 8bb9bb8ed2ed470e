"""All figures of FuzzyRED: by the paper's rule, by ranking, by thresholds from other relations, and of constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from protorel.evaluation.fuzzyred.judged_statements import Judged
from protorel.evaluation.fuzzyred.label_scores import DEFAULT_SCORE, SCALE, LabelScores
from protorel.evaluation.fuzzyred.paper_rule import RuleResult, Shots, paper_rule
from protorel.evaluation.fuzzyred.score_quality import ScoreFigures, score_figures
from protorel.evaluation.measurement import as_numbers

EVERY, SEEN, UNSEEN = "every", "seen", "unseen"


@dataclass(frozen=True, slots=True)
class Baselines:
    """Accuracy without a model."""

    accept_all: float
    reject_all: float
    majority: float
    """Each relation's more frequent answer for all its statements, which needs the true labels."""

    @classmethod
    def of(cls, judged: Judged) -> Baselines:
        """Return the accuracy of constant answers."""
        true = float(judged.truth.mean())
        common = sum(max(judged.truth[rows].sum(), (~judged.truth[rows]).sum()) for rows in judged.rows.values())
        return cls(true, 1 - true, float(common / len(judged.truth)))


@dataclass(frozen=True, slots=True)
class ShotFigures:
    """The figures for K drawn true statements."""

    rule: RuleResult
    groups: dict[str, ScoreFigures]
    repeated: tuple[str, ...]
    """Relations in which some statement had fewer than K others, so that they were drawn with replacement."""
    left_out: tuple[str, ...]
    """Relations with fewer than two true statements: none can be compared with another."""

    @classmethod
    def of(
        cls, scored: list[Shots], judged: Judged, groups: Mapping[str, tuple[str, ...]], *, shot: int, seed: int
    ) -> ShotFigures:
        """Evaluate the scores of K drawn true statements."""
        scores = {one.relation: one.scores for one in scored}
        return cls(
            rule=paper_rule(scored, judged, shot=shot),
            groups={name: score_figures(scores, judged, group, seed=seed) for name, group in groups.items()},
            repeated=tuple(one.relation for one in scored if one.repeated),
            left_out=tuple(name for name in judged.relations if name not in scores),
        )

    def as_json(self) -> dict[str, Any]:
        """Return all figures as plain numbers."""
        return {
            "accuracy": self.rule.accuracy.value,
            "margin": as_numbers(self.rule.accuracy)["margin"],
            "over_relations": as_numbers(self.rule.over_relations),
            "per_relation": self.rule.per_relation,
            "kept_true": self.rule.kept_true,
            "rejected_false": self.rule.rejected_false,
            "drawn_with_replacement": list(self.repeated),
            "left_out": list(self.left_out),
            "groups": _as_json(self.groups),
        }


@dataclass(frozen=True, slots=True)
class FuzzyRedResult:
    """All figures."""

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
        """Return notes on how to read the figures."""
        notes = [
            f"{shot} shots were drawn with replacement in relations with too few true statements: "
            f"{', '.join(figures.repeated)}"
            for shot, figures in self.shots.items()
            if figures.repeated
        ]
        if left_out := sorted({name for figures in self.shots.values() for name in figures.left_out}):
            notes.append(f"relations with fewer than two true statements have no shots: {', '.join(left_out)}")
        if self.undescribed:
            notes.append(f"relations with no description: {', '.join(self.undescribed)}")
        return notes

    def as_json(self) -> dict[str, Any]:
        """Return all figures as plain numbers; every share is between 0 and 1."""
        return {
            "statements": self.statements,
            "true": self.true,
            "groups": {name: list(relations) for name, relations in self.groups.items()},
            "baselines": asdict(self.baselines),
            "shots": {str(shot): figures.as_json() for shot, figures in self.shots.items()},
            "default_score": DEFAULT_SCORE,
            "scale": SCALE,
            "by_prototype": _as_json(self.by_prototype),
            "by_description": {name: _as_json(group) for name, group in self.by_description.items()},
            "undescribed": list(self.undescribed),
        }


def tabulate(scores: LabelScores, judged: Judged, relations: Sequence[str], *, seed: int) -> dict[str, ScoreFigures]:
    """Evaluate every score on those of the relations that have it; a score that none has is left out."""
    figures = {name: score_figures(one, judged, relations, seed=seed) for name, one in scores.items()}
    return {name: one for name, one in figures.items() if one.relations}


def _as_json(figures: Mapping[str, ScoreFigures]) -> dict[str, Any]:
    return {name: one.as_json() for name, one in figures.items()}
