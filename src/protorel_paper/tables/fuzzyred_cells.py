"""Cells of table 2: pretrained runs evaluated by which of FuzzyRED's labels they accept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from protorel.evaluation import FuzzyRedSettings, as_numbers, evaluate_fuzzyred, judged, measure
from protorel.statements import DataSet
from protorel_paper.engine import Plan
from protorel_paper.tables.cells import cell_plan
from protorel_paper.tables.rows import Row
from protorel_paper.tables.table2 import SHOTS, TABLE2
from protorel_paper.tables.trainings import Trainings

TEST = "fuzzyred"
_SEED = 0
"""The same true statements are drawn for every row and every training seed."""


def table2_plans(trainings: Trainings, rows: Sequence[Row], seeds: Sequence[int]) -> list[Plan]:
    """Return the cells of table 2: a row with one seed gives all its shots at once."""
    return [_plan(trainings, row, seed) for seed in seeds for row in rows]


def _plan(trainings: Trainings, row: Row, seed: int) -> Plan:
    budget, data = trainings.budget, trainings.data.open(TEST)
    stages = (trainings.pretraining(row.pretrain, seed),) if row.pretrain is not None else ()
    settings = {
        "budget": budget.name,
        "runs": [stage.settings for stage in stages],
        "judged": {"shots": list(SHOTS), "draws": budget.draws, "seed": _SEED},
        "judged_by": trainings.data.fingerprints((TEST,)),
    }

    def evaluate() -> dict[str, Any]:
        if not stages:
            return accept_every_label(data)
        return evaluate_run(str(trainings.runs.at(stages[-1])), data, draws=budget.draws)

    return cell_plan(TABLE2.name, row.name, TEST, seed, settings=settings, stages=stages, evaluate=evaluate)


def evaluate_run(run: str, data: DataSet, *, draws: int) -> dict[str, Any]:
    """Evaluate a run by the paper's rule, and record the other figures of the evaluation."""
    found = evaluate_fuzzyred(run, data, FuzzyRedSettings(SHOTS, draws, _SEED))
    rules = {column: found.result.shots[shot].rule for column, shot in zip(TABLE2.columns, SHOTS, strict=True)}
    kept = ("baselines", "by_prototype", "groups", "data", "run", "leakage")
    return {
        "figures": {column: as_numbers(rule.accuracy) for column, rule in rules.items()},
        "per_relation_by_column": {column: rule.per_relation for column, rule in rules.items()},
        **{name: found.as_json[name] for name in kept},
    }


def accept_every_label(data: DataSet) -> dict[str, Any]:
    """Evaluate distant supervision itself, which accepts every label."""
    given = judged(list(data.source()), str(data.path or data.name))
    shares = {relation: float(given.truth[rows].mean()) for relation, rows in given.rows.items()}
    figure = as_numbers(measure(given.truth.astype(float)))
    return {
        "figures": dict.fromkeys(TABLE2.columns, figure),
        "per_relation_by_column": dict.fromkeys(TABLE2.columns, shares),
        "data": data.described(),
    }
