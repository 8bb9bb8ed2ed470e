"""The grid of a data budget: one point per number of relations, number of statements, recipe, encoder and seed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from protorel.statements import DataSet, Equivalents
from protorel.training import Recipe, Watcher, recipe_settings
from protorel_paper.engine import Plan, Progress, ResultFolder, Watching, quiet
from protorel_paper.experiments.exam import PointExam
from protorel_paper.experiments.experiment import Experiment, prepare
from protorel_paper.experiments.lists import Amount
from protorel_paper.experiments.points import POINTS, make_points, point_plan, recipe_json, train_point
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
) -> Progress:
    """Make the missing points of the grid.

    Args:
        recipes: Recipes to train; each is trained from every starting encoder.
        data: Statements to draw from; overlap with the test set is removed.
        test: Labelled statements of other relations to evaluate on.
        out: Output folder.
        models: Starting encoders; by default the recipes' own.
        relations: Numbers of relations; 0 is the untuned encoder, None is all.
        statements: Numbers of statements per relation; 0 is the untuned encoder, None is all.
        seeds: Random seeds for statements and trainings.
        exam: Test statements and episodes; by default 5-way 1-shot.
        equivalents: Relations that mean the same; by default those that we ship.
        watching: Reports which point is made, and watches its training.

    Returns:
        All finished points of the folder, and notes on the starting encoders.

    Raises:
        BadInput: If the data cannot give a point, or the folder holds points made with other settings.
    """
    folder = ResultFolder(out, POINTS)
    experiment = prepare(recipes, data, test, models=models, exam=exam, equivalents=equivalents)
    experiment.material.check(relations=relations, statements=statements)
    # Seed by seed: the whole grid is there before a second seed makes it more precise.
    places = product(seeds, experiment.starts, relations, statements)
    plans = [plan for seed, start, wide, deep in places for plan in _plans(experiment, start, wide, deep, seed)]
    return make_points(plans, folder, watching=watching, notes=experiment.notes)


def _plans(experiment: Experiment, start: Start, relations: Amount, statements: Amount, seed: int) -> list[Plan]:
    if relations == 0 or statements == 0:
        return [_untuned(experiment, start)]
    wide = len(experiment.material.by_relation) if relations is None else relations
    return [_tuned(experiment, recipe, start, wide, statements, seed) for recipe in experiment.recipes]


def _untuned(experiment: Experiment, start: Start) -> Plan:
    def make(_scratch: Path, _watch: Watcher | None) -> dict[str, Any]:
        return {**experiment.described(start), "training": None, **start.evaluate(experiment.exam)}

    settings = {**experiment.settings(start), "relations": 0, "statements": 0}
    return point_plan(TASK, [start.name, "untuned"], settings, make)


def _tuned(experiment: Experiment, recipe: Recipe, start: Start, relations: int, statements: Amount, seed: int) -> Plan:
    def make(scratch: Path, watch: Watcher | None) -> dict[str, Any]:
        drawn = experiment.material.draw(relations, statements, seed=seed)
        ready = recipe.model_copy(update={"encoder": start.encoder, "seed": seed})
        model, training = train_point(drawn, scratch, ready, watch=watch)
        return {
            **experiment.described(start),
            "recipe": recipe_json(recipe),
            "training": training,
            "fewshot": experiment.exam.evaluate(model.encode(experiment.exam.statements)),
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
    return point_plan(TASK, [recipe.name, start.name, f"{relations}x{each}", f"seed{seed}"], settings, make)
