"""The grid of label noise: one point per rate and kind of wrong labels, recipe, encoder and seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from protorel.statements import BadInput, DataSet, Equivalents, Statement
from protorel.training import Recipe, Watcher, recipe_settings
from protorel_paper.engine import Plan, Progress, ResultFolder, Watching, quiet
from protorel_paper.experiments.exam import PointExam
from protorel_paper.experiments.experiment import Experiment, prepare
from protorel_paper.experiments.label_noise.evaluation import evaluate_noise
from protorel_paper.experiments.label_noise.wrong_labels import (
    NEIGHBOURS,
    confusable_choices,
    uniform_choices,
    with_wrong_labels,
)
from protorel_paper.experiments.lists import KINDS, Amount, check_noise
from protorel_paper.experiments.material import Material
from protorel_paper.experiments.points import POINTS, make_points, point_plan, recipe_json, train_point
from protorel_paper.experiments.starts import Start

TASK = "label_noise"
CLEAN = "none"
"""The kind of noise at rate 0."""
Choices = Mapping[str, Mapping[str, Sequence[str]]]
"""For each kind of noise, the wrong labels that a relation may get."""


@dataclass(frozen=True, slots=True)
class NoiseDraw:
    """How many statements are trained on and held out, and the seed that draws them."""

    relations: Amount
    statements: Amount
    held_out: int
    seed: int

    def of(self, material: Material) -> tuple[list[Statement], list[Statement]]:
        """Draw training and held-out statements; at most a third of a relation is held out."""
        train: list[Statement] = []
        held: list[Statement] = []
        for relation in material.relations(self.relations, seed=self.seed):
            own = material.statements(relation, seed=self.seed)
            away = min(self.held_out, len(own) // 3)
            held += own[:away]
            train += own[away:][: self.statements]
        # Relations are mixed, so that the first statements of each label are a fair sample of right and wrong ones.
        order = np.random.default_rng([self.seed, 3]).permutation(len(train))
        return [train[row] for row in order], held


def run_label_noise(
    recipes: Sequence[Recipe],
    data: DataSet,
    test: DataSet,
    out: Path,
    *,
    models: Sequence[str] = (),
    rates: Sequence[float] = (0, 0.2, 0.4, 0.6),
    kinds: Sequence[str] = KINDS,
    seeds: Sequence[int] = (0,),
    relations: Amount = None,
    statements: Amount = None,
    held_out: int = 20,
    exam: PointExam | None = None,
    equivalents: Equivalents | None = None,
    watching: Watching = quiet,
) -> Progress:
    """Make the missing points of the experiment.

    Labels count as true unless `expresses` says otherwise; statements with a label known to be wrong are left out.
    Every point of a seed trains on the same statements, some of which carry a wrong label.

    Args:
        recipes: Recipes to train; each is trained from every starting encoder.
        data: Statements to draw from; overlap with the test set is removed.
        test: Labelled statements of other relations to evaluate on.
        out: Output folder.
        models: Starting encoders; by default the recipes' own.
        rates: Shares of wrong training labels.
        kinds: Kinds of wrong labels: uniform, confusable.
        seeds: Random seeds for statements, wrong labels and trainings.
        relations: Number of relations; None is all.
        statements: Number of training statements per relation; None is all.
        held_out: Number of clean statements per relation to evaluate on.
        exam: Test statements and episodes; by default 5-way 1-shot.
        equivalents: Relations that mean the same; by default those that we ship.
        watching: Reports which point is made, and watches its training.

    Returns:
        All finished points of the folder, and notes on the starting encoders.

    Raises:
        BadInput: If the data cannot give a point, or the folder holds points made with other settings.
    """
    check_noise(rates, kinds)
    if held_out < 1:
        raise BadInput(f"held_out: expected at least 1 statement per relation, got {held_out}")
    folder = ResultFolder(out, POINTS)
    experiment = prepare(recipes, data, test, models=models, exam=exam, equivalents=equivalents, true_only=True)
    experiment.material.check(relations=[relations], statements=[statements])
    plans = []
    for seed, start in product(seeds, experiment.starts):
        draw = NoiseDraw(relations, statements, held_out, seed)
        choices = _choices(experiment, start, draw, kinds if any(rates) else ())
        for rate, kind, recipe in product(sorted(set(rates)), kinds, experiment.recipes):
            plans.append(_plan(experiment, recipe, start, draw, rate, kind if rate else CLEAN, choices))
    return make_points(plans, folder, watching=watching, notes=experiment.notes)


def _choices(experiment: Experiment, start: Start, draw: NoiseDraw, kinds: Sequence[str]) -> Choices:
    """Return the wrong labels that each kind may give; similarity is measured on training statements only."""
    material = experiment.material
    names = material.relations(draw.relations, seed=draw.seed)
    found: dict[str, Mapping[str, Sequence[str]]] = {}
    if "uniform" in kinds:
        found["uniform"] = uniform_choices(sorted(names))
    if "confusable" in kinds:
        found["confusable"] = confusable_choices(start.model, {name: material.by_relation[name] for name in names})
    return found


def _plan(
    experiment: Experiment, recipe: Recipe, start: Start, draw: NoiseDraw, rate: float, kind: str, choices: Choices
) -> Plan:
    def make(scratch: Path, watch: Watcher | None) -> dict[str, Any]:
        clean, held_out = draw.of(experiment.material)
        noisy = with_wrong_labels(clean, rate, choices.get(kind, {}), seed=draw.seed)
        ready = recipe.model_copy(update={"encoder": start.encoder, "seed": draw.seed})
        model, training = train_point(noisy.statements, scratch, ready, watch=watch)
        return {
            **experiment.described(start),
            "recipe": recipe_json(recipe),
            "training": training,
            "noise": {
                "wrong": noisy.wrong,
                "share": noisy.wrong / len(clean),
                "neighbours": choices[kind] if kind == "confusable" else None,
            },
            "fewshot": experiment.exam.evaluate(model.encode(experiment.exam.statements)),
            **evaluate_noise(model, noisy.statements, held_out, seed=draw.seed),
        }

    settings = {
        **experiment.settings(start),
        "recipe_name": recipe.name,
        **recipe_settings(recipe, without=["seed"]),
        "draw": {"relations": draw.relations, "statements": draw.statements, "held_out": draw.held_out},
        "kind": kind,
        "rate": rate,
        "neighbours": NEIGHBOURS if kind == "confusable" else None,
        "seed": draw.seed,
    }
    parts = [recipe.name, start.name, f"{kind}{round(100 * rate, 2):g}", f"seed{draw.seed}"]
    return point_plan(TASK, parts, settings, make)
