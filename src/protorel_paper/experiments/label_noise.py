"""Label noise: what wrong training labels cost, by rate, kind and objective."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from protorel.statements import BadInput, DataSet, Equivalents, Statement
from protorel.training import Recipe, Watcher, recipe_settings
from protorel_paper.engine.point_folder import PointFolder
from protorel_paper.engine.point_plan import PointPlan, Progress, Watching, make_points, point_name, quiet
from protorel_paper.experiments.exam import PointExam
from protorel_paper.experiments.experiment import Experiment, prepare
from protorel_paper.experiments.lists import KINDS, Amount, check_noise
from protorel_paper.experiments.material import Material
from protorel_paper.experiments.noise_evaluation import judge_noise
from protorel_paper.experiments.point_training import recipe_json, train_point
from protorel_paper.experiments.starts import Start
from protorel_paper.experiments.wrong_labels import NEIGHBOURS, confusable_choices, uniform_choices, with_wrong_labels

TASK = "label_noise"
CLEAN = "none"
"""The kind of noise at rate 0."""
Choices = Mapping[str, Mapping[str, Sequence[str]]]
"""For each kind of noise the wrong labels that a relation may get."""


@dataclass(frozen=True, slots=True)
class NoiseDraw:
    """How much is trained on, how much is held out, and by which seed."""

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
        # Relations must not come one after the other: the first of each label are a fair sample of right and wrong.
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
) -> tuple[Progress, tuple[str, ...]]:
    """Make the missing points of the experiment, and return all that are there, with notes on the encoders.

    The labels of the data are taken for true, except where `expresses` says that one is not: such statements are left
    out. Every point of a seed trains on the same statements, of which some carry a wrong label.
    """
    check_noise(rates, kinds)
    if held_out < 1:
        raise BadInput(f"{held_out} statements of each relation are to be held out, at least 1 is wanted")
    folder = PointFolder(out)
    experiment = prepare(recipes, data, test, models=models, exam=exam, equivalents=equivalents, true_only=True)
    experiment.material.check(relations=[relations], statements=[statements])
    plans: dict[str, PointPlan] = {}
    for seed, start in product(seeds, experiment.starts):
        draw = NoiseDraw(relations, statements, held_out, seed)
        choices = _choices(experiment, start, draw, kinds if any(rates) else ())
        for rate, kind, recipe in product(sorted(set(rates)), kinds, experiment.recipes):
            plan = _plan(experiment, recipe, start, draw, rate, kind if rate else CLEAN, choices)
            plans.setdefault(plan.name, plan)
    progress = make_points(list(plans.values()), folder, task=TASK, watching=watching)
    return progress, experiment.notes


def _choices(experiment: Experiment, start: Start, draw: NoiseDraw, kinds: Sequence[str]) -> Choices:
    """Find the wrong labels that each kind may give; likeness is measured by training statements alone."""
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
) -> PointPlan:
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
            "fewshot": experiment.exam.judge(model.encode(experiment.exam.statements)),
            **judge_noise(model, noisy.statements, held_out, seed=draw.seed),
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
    name = point_name(recipe.name, start.name, f"{kind}{round(100 * rate, 2):g}", f"seed{draw.seed}")
    return PointPlan(name, settings, make)
