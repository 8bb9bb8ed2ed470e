"""A FuzzyRED result as JSON, with every setting that made it; every share lies between 0 and 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from protorel.evaluation.fuzzyred.figures import FuzzyRedResult, ScoreFigures, ShotFigures
from protorel.evaluation.fuzzyred.ranking import Ranking
from protorel.evaluation.fuzzyred.scores import DEFAULT, SCALE
from protorel.evaluation.fuzzyred.threshold import LeftOut
from protorel.evaluation.redrawing import as_numbers


def figures_json(result: FuzzyRedResult) -> dict[str, Any]:
    """Return all figures."""
    return {
        "statements": result.statements,
        "true": result.true,
        "groups": {name: list(relations) for name, relations in result.groups.items()},
        "baselines": asdict(result.baselines),
        "shots": {str(shot): _shot(figures) for shot, figures in result.shots.items()},
        "default_score": DEFAULT,
        "scale": SCALE,
        "by_prototype": _scores(result.by_prototype),
        "by_description": {name: _scores(group) for name, group in result.by_description.items()},
        "undescribed": list(result.undescribed),
    }


def _scores(scores: Mapping[str, ScoreFigures]) -> dict[str, Any]:
    return {name: _score(figures) for name, figures in scores.items()}


def _shot(figures: ShotFigures) -> dict[str, Any]:
    rule = figures.rule
    return {
        "accuracy": rule.accuracy.value,
        "margin": as_numbers(rule.accuracy)["margin"],
        "over_relations": as_numbers(rule.over_relations),
        "per_relation": rule.per_relation,
        "kept_true": rule.kept_true,
        "rejected_false": rule.rejected_false,
        "drawn_with_replacement": list(figures.repeated),
        "left_out": list(figures.left_out),
        "groups": _scores(figures.groups),
    }


def _score(figures: ScoreFigures) -> dict[str, Any]:
    return {
        "relations": len(figures.relations),
        "ranking": _ranking(figures.ranking) if figures.ranking else None,
        "threshold_for_accuracy": _left_out(figures.for_accuracy) if figures.for_accuracy else None,
        "threshold_for_balance": _left_out(figures.for_balance) if figures.for_balance else None,
    }


def _ranking(ranking: Ranking) -> dict[str, Any]:
    return {
        "auroc": as_numbers(ranking.macro_auroc),
        "auroc_redrawn": list(ranking.auroc_redrawn),
        "average_precision": as_numbers(ranking.macro_average_precision),
        "true_share": sum(ranking.true_share.values()) / len(ranking.true_share),
        "per_relation": {
            name: {
                "auroc": ranking.auroc[name],
                "average_precision": ranking.average_precision[name],
                "true_share": ranking.true_share[name],
            }
            for name in ranking.auroc
        },
    }


def _left_out(found: LeftOut) -> dict[str, Any]:
    return {
        "accuracy": as_numbers(found.accuracy),
        "balanced_accuracy": as_numbers(found.balanced_accuracy) if found.balanced_accuracy else None,
        "per_relation": found.per_relation,
    }
