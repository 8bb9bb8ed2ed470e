"""Cells of table 3: classifiers evaluated by SemEval's official scorer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from protorel.evaluation import OTHER, Measurement, SemEvalScore, as_numbers, evaluate_classification
from protorel.statements import DataSet
from protorel_paper.engine import Plan
from protorel_paper.tables.cells import cell_plan
from protorel_paper.tables.rows import Row
from protorel_paper.tables.table3 import TABLE3
from protorel_paper.tables.trainings import Trainings

TUNED_ON, TEST = "semeval_train", "semeval_test"


def table3_plans(trainings: Trainings, rows: Sequence[Row], seeds: Sequence[int]) -> list[Plan]:
    """Return the cells of table 3: a row with one seed gives precision, recall and F1 at once."""
    return [_plan(trainings, row, seed) for seed in seeds for row in rows]


def _plan(trainings: Trainings, row: Row, seed: int) -> Plan:
    stages = trainings.tuning(row, seed, data=TUNED_ON, test=TEST)
    settings = {
        "budget": trainings.budget.name,
        "runs": [stage.settings for stage in stages],
        "judged_by": trainings.data.fingerprints((TEST,)),
    }

    def evaluate() -> dict[str, Any]:
        return evaluate_run(str(trainings.runs.at(stages[-1])), trainings.data.open(TEST))

    return cell_plan(TABLE3.name, row.name, "semeval", seed, settings=settings, stages=stages, evaluate=evaluate)


def evaluate_run(run: str, data: DataSet) -> dict[str, Any]:
    """Evaluate a classifier; the official figures are means over relations, so rows can be compared by relation."""
    found = evaluate_classification(run, data, scorer="semeval")
    if not isinstance(found.result, SemEvalScore):
        raise TypeError("the SemEval scorer gives a SemEval score")
    part = found.result.official
    each = {label: part.of(label) for label in part.labels if label != OTHER}
    per_relation = {
        column: {label: getattr(one, name) / 100 for label, one in each.items()}
        for column, name in zip(TABLE3.columns, ("precision", "recall", "f1"), strict=True)
    }
    count = found.f1.count
    means = {column: Measurement(sum(of.values()) / len(of), math.inf, count) for column, of in per_relation.items()}
    kept = ("data", "run", "leakage", "unknown_labels", "official")
    return {
        "figures": {column: as_numbers(mean) for column, mean in means.items()} | {"F1": as_numbers(found.f1)},
        "per_relation_by_column": per_relation,
        **{name: found.as_json[name] for name in kept},
    }
