"""Data budget (figures 3 and 4): few-shot accuracy by how many relations, and statements of each, were trained on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from protorel.statements import DataSet, Equivalents
from protorel.training import Recipe, Watcher, recipe_settings
from protorel_paper.engine.point_folder import PointFolder
from protorel_paper.engine.point_plan import PointPlan, Progress, Watching, make_points, point_name, quiet
from protorel_paper.experiments.exam import PointExam
from protorel_paper.experiments.experiment import Experiment, prepare
from protorel_paper.experiments.lists import Amount
from protorel_paper.experiments.point_training import recipe_json, train_point
from protorel_paper.experiments.starts import Start

TASK = "data_budget"


def run_data_budget(
    recipes: Sequence[Recipe],
    data: DataSet,
    test: DataSet,
    out: Path,
    *,
    models: Sequence[str] = (),
    relations: Sequence[Amount] = (0, 8, 24, 64),
    statements: Sequence[Amount] = (0, 20, 100, None),
    seeds: Sequence[int] = (0,),
    exam: PointExam | None = None,
    equivalents: Equivalents | None = None,
    watching: Watching = quiet,
) -> tuple[Progress, tuple[str, ...]]:
    """Make the missing points of the grid in a folder, and return all that are there, with notes on the encoders.

    Every recipe is trained from every encoder in `models` (without any, from its own). No relations, or no statements,
    is the encoder untuned, judged once. None stands for all there are.
    """
    folder = PointFolder(out)
    experiment = prepare(recipes, data, test, models=models, exam=exam, equivalents=equivalents)
    material = experiment.material
    material.check(relations=relations, statements=statements)
    plans: dict[str, PointPlan] = {}
    # Seed by seed: the whole picture is there before it gets sharper.
    for seed, start, wide, deep in product(seeds, experiment.starts, relations, statements):
        for plan in _plans(experiment, start, wide, deep, seed):
            plans.setdefault(plan.name, plan)
    progress = make_points(list(plans.values()), folder, task=TASK, watching=watching)
    return progress, experiment.notes


def _plans(experiment: Experiment, start: Start, relations: Amount, statements: Amount, seed: int) -> list[PointPlan]:
    if relations == 0 or statements == 0:
        return [_untuned(experiment, start)]
    wide = len(experiment.material.by_relation) if relations is None else relations
    return [_tuned(experiment, recipe, start, wide, statements, seed) for recipe in experiment.recipes]


def _untuned(experiment: Experiment, start: Start) -> PointPlan:
    def make(_scratch: Path, _watch: Watcher | None) -> dict[str, Any]:
        return {**experiment.described(start), "training": None, **start.judge(experiment.exam)}

    settings = {**experiment.settings(start), "relations": 0, "statements": 0}
    return PointPlan(point_name(start.name, "untuned"), settings, make)


def _tuned(
    experiment: Experiment, recipe: Recipe, start: Start, relations: int, statements: Amount, seed: int
) -> PointPlan:
    def make(scratch: Path, watch: Watcher | None) -> dict[str, Any]:
        drawn = experiment.material.draw(relations, statements, seed=seed)
        ready = recipe.model_copy(update={"encoder": start.encoder, "seed": seed})
        model, training = train_point(drawn, scratch, ready, watch=watch)
        return {
            **experiment.described(start),
            "recipe": recipe_json(recipe),
            "training": training,
            "fewshot": experiment.exam.judge(model.encode(experiment.exam.statements)),
        }

    each = "all" if statements is None else statements
    settings = {
        **experiment.settings(start),
        "recipe_name": recipe.name,
        **recipe_settings(recipe, without=["seed"]),
        "relations": relations,
        "statements": each,
        "seed": seed,
    }
    return PointPlan(point_name(recipe.name, start.name, f"{relations}x{each}", f"seed{seed}"), settings, make)
