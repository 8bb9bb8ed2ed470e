"""Cells of table 2: pretrained runs judged by which of FuzzyRED's labels they believe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from protorel.evaluation import FuzzyRedSettings, as_numbers, evaluate_fuzzyred, judged, measure
from protorel.statements import DataSet
from protorel_paper.engine.cells import CellPlan
from protorel_paper.tables.rows import Row
from protorel_paper.tables.table2 import SHOTS, TABLE2
from protorel_paper.tables.trainings import Workshop

JUDGED_BY = "fuzzyred"
_SEED = 0
"""True statements are drawn alike for every row and every training seed."""


def table2_plans(workshop: Workshop, rows: Sequence[Row], seeds: Sequence[int]) -> list[CellPlan]:
    """Return the cells of table 2: a row with one seed gives all its shots at once."""
    return [_plan(workshop, row, seed) for seed in seeds for row in rows]


def _plan(workshop: Workshop, row: Row, seed: int) -> CellPlan:
    budget, data = workshop.budget, workshop.data.open(JUDGED_BY)
    stages = (workshop.pretraining(row.pretrain, seed),) if row.pretrain is not None else ()
    settings = {
        "budget": budget.name,
        "runs": [stage.settings for stage in stages],
        "judged": {"shots": list(SHOTS), "draws": budget.draws, "seed": _SEED},
        "judged_by": workshop.data.fingerprints((JUDGED_BY,)),
    }

    def judge() -> dict[str, Any]:
        if not stages:
            return believe_every_label(data)
        return judge_run(str(workshop.runs.at(stages[-1])), data, draws=budget.draws)

    return CellPlan(TABLE2.name, row.name, JUDGED_BY, seed, settings, stages, judge)


def judge_run(run: str, data: DataSet, *, draws: int) -> dict[str, Any]:
    """Judge a run by the paper's rule, and keep what else was found of it."""
    found = evaluate_fuzzyred(run, data, FuzzyRedSettings(SHOTS, draws, _SEED))
    rules = {column: found.result.shots[shot].rule for column, shot in zip(TABLE2.columns, SHOTS, strict=True)}
    kept = ("baselines", "by_prototype", "groups", "data", "run", "leakage")
    return {
        "figures": {column: as_numbers(rule.accuracy) for column, rule in rules.items()},
        "per_relation_by_column": {column: rule.per_relation for column, rule in rules.items()},
        **{name: found.as_json[name] for name in kept},
    }


def believe_every_label(data: DataSet) -> dict[str, Any]:
    """Judge distant supervision itself, which no statement tells anything."""
    given = judged(list(data.source()), str(data.path or data.name))
    shares = {relation: float(given.truth[rows].mean()) for relation, rows in given.rows.items()}
    figure = as_numbers(measure(given.truth.astype(float)))
    return {
        "figures": dict.fromkeys(TABLE2.columns, figure),
        "per_relation_by_column": dict.fromkeys(TABLE2.columns, shares),
        "data": data.described(),
    }
