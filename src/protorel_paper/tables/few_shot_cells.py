"""Cells of table 1: every row is evaluated on the same episodes of the same statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from protorel.evaluation import (
    EmbeddingSpace,
    EpisodeSettings,
    Exam,
    answered_right,
    as_numbers,
    chosen_method,
    draw_exam,
    exam_scores,
    few_shot_result,
    labelled,
    measurement_json,
    run_json,
    run_leakage,
)
from protorel.fewshot import find_method
from protorel.model import ModelSource, RelationModel
from protorel.statements import DataSet, Statement, load_equivalents
from protorel_paper.engine import Plan
from protorel_paper.tables.cells import cell_plan
from protorel_paper.tables.rows import Row
from protorel_paper.tables.summary.paired import packed
from protorel_paper.tables.table1 import SETTINGS, TABLE1
from protorel_paper.tables.trainings import FEWREL_TEST, Trainings

TUNED_ON = "fewrel_train"
EPISODES_SEED = 0
"""Episodes are the same for every row and every training seed."""


def table1_plans(trainings: Trainings, rows: Sequence[Row], seeds: Sequence[int]) -> list[Plan]:
    """Return the cells of table 1, row by row: pretrained, tuned and evaluated in all four settings."""
    exams = Exams(trainings.data.open(FEWREL_TEST))
    return [_plan(trainings, exams, row, seed, way, shot) for seed in seeds for row in rows for way, shot in SETTINGS]


def _plan(trainings: Trainings, exams: Exams, row: Row, seed: int, way: int, shot: int) -> Plan:
    budget = trainings.budget
    only_for = (way, shot) if budget.tuned_for_each else None
    stages = trainings.tuning(row, seed, data=TUNED_ON, test=FEWREL_TEST, only_for=only_for)
    episodes, method = min(budget.episodes, row.most_episodes or budget.episodes), row.method or budget.method
    judged = {"way": way, "shot": shot, "episodes": episodes, "seed": EPISODES_SEED, "method": method}
    if (chosen := find_method(method)).needs == "encoder":
        judged["tuning"] = asdict(chosen.load().settings)
    settings = {
        "budget": budget.name,
        "encoder": budget.encoder,
        "runs": [stage.settings for stage in stages],
        "judged": judged,
        "judged_by": trainings.data.fingerprints((FEWREL_TEST,)),
    }

    def evaluate() -> dict[str, Any]:
        run = str(trainings.runs.at(stages[-1])) if stages else trainings.encoder()
        return exams.evaluate(run, way, shot, episodes=episodes, method=method)

    setting = f"{way}w{shot}s"
    return cell_plan(TABLE1.name, row.name, setting, seed, settings=settings, stages=stages, evaluate=evaluate)


class Exams:
    """Test statements and the episodes drawn from them, each read and drawn once."""

    def __init__(self, data: DataSet) -> None:
        self.data = data
        self._read: tuple[list[Statement], list[str]] | None = None
        self._drawn: dict[tuple[int, int, int], Exam] = {}

    def evaluate(self, run: str, way: int, shot: int, *, episodes: int, method: str) -> dict[str, Any]:
        """Evaluate a run in one setting, and record its right answers per episode."""
        statements, relations = self._statements()
        source = ModelSource.find(run)
        settings = EpisodeSettings(way, shot, episodes, EPISODES_SEED, *chosen_method(source, method, None))
        exam = self._exam(settings)
        model = RelationModel.from_pretrained(source)
        scores = exam_scores(EmbeddingSpace(model), statements, exam, settings)
        result = few_shot_result(scores, exam, settings)
        leakage = run_leakage(model, self.data, relations, equivalents=load_equivalents())
        return {
            "figures": {f"{way}w{shot}s": as_numbers(result.accuracy)},
            "similarity": settings.similarity,
            "over_relations": measurement_json(result.over_relations),
            "per_relation": result.per_relation,
            "right_of_each_episode": packed(answered_right(scores)),
            "data": {"name": self.data.name, "statements": len(statements), "relations": len(exam.names)},
            "run": run_json(model),
            "leakage": leakage.as_json(),
        }

    def _statements(self) -> tuple[list[Statement], list[str]]:
        if self._read is None:
            self._read = labelled(list(self.data.source()))
        return self._read

    def _exam(self, settings: EpisodeSettings) -> Exam:
        key = (settings.way, settings.shot, settings.episodes)
        if key not in self._drawn:
            self._drawn[key] = draw_exam(self._statements()[1], settings)
        return self._drawn[key]
