"""Points of an experiment, `points/NAME.json`: one short training on drawn statements, evaluated and thrown away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from protorel.io import READ_BACK
from protorel.model import RelationModel
from protorel.statements import Statement, fingerprint
from protorel.training import Recipe, Watcher, pretrain, reads_words
from protorel_paper.engine import Audience, Kind, Plan, Progress, ResultFolder, Watching, make_results

Make = Callable[[Path, Watcher | None], Mapping[str, Any]]


class _PointForm(BaseModel):
    """What every finished point holds; an experiment adds its own fields."""

    model_config = READ_BACK

    name: str
    task: str
    settings: dict[str, Any]


POINTS = Kind(
    "point",
    "points",
    _PointForm,
    shared={
        "experiment": None,
        "draw": None,
        "recipe": "recipe_name",
        "defaults": "recipe_name",
        "start": "start_name",
    },
)
"""All points of a folder have one experiment and draw; those of one recipe and starting encoder share these too."""


def point_plan(task: str, parts: Sequence[str], settings: Mapping[str, Any], make: Make) -> Plan:
    """Return the plan of a point of the experiment `task`; `parts` make up its name."""
    name = point_name(*parts)
    return Plan(name, {"task": task, "name": name}, settings, make)


def point_name(*parts: str) -> str:
    """Return a file name made of the parts in which points differ."""
    return "-".join(re.sub(r"[^\w.]+", "_", part) for part in parts)


def make_points(
    plans: Iterable[Plan], folder: ResultFolder, *, watching: Watching, notes: tuple[str, ...] = ()
) -> Progress:
    """Make the points that are missing; return all finished points of the folder."""
    distinct = {plan.name: plan for plan in plans}  # the untuned encoder is planned for every seed
    progress = make_results(list(distinct.values()), folder, audience=Audience(watching))
    return replace(progress, results=folder.read(), notes=notes)


def train_point(
    statements: Sequence[Statement], scratch: Path, recipe: Recipe, *, watch: Watcher | None
) -> tuple[RelationModel, dict[str, Any]]:
    """Train on drawn statements with batches that fit them; return the model and a record of its training data."""
    counts = Counter(str(statement.relation) for statement in statements)
    fitted = fit_batches(recipe, counts)
    model = pretrain(statements, scratch / "run", fitted, watch=watch)
    return model, {
        "relations": len(counts),
        "statements": len(statements),
        "fewest_of_a_relation": min(counts.values()),
        "most_of_a_relation": max(counts.values()),
        "fingerprint": fingerprint(statements),
        "relation_names": sorted(counts),
        "relations_per_batch": fitted.relations_per_batch,
        "statements_per_relation": fitted.statements_per_relation,
        "statements_a_step": fitted.relations_per_batch * fitted.statements_per_relation,
        "statements_a_step_by_recipe": recipe.relations_per_batch * recipe.statements_per_relation,
    }


def fit_batches(recipe: Recipe, counts: Counter[str]) -> Recipe:
    """Return the recipe with batches that fit the number of statements per relation.

    Nothing that was drawn is left out, and only one checkpoint is written, since the run is thrown away.
    """
    if reads_words(recipe.encoder):
        recipe = recipe.model_copy(update={"precision": "fp32"})  # the precision of the experiment is for transformers
    update: dict[str, Any] = {"without_relations": None, "min_statements": 1, "checkpoint_every": recipe.steps}
    if recipe.batches_by == "relation":
        wide, deep = _batch(recipe, len(counts), min(counts.values()))
        update |= {"relations_per_batch": wide, "statements_per_relation": deep}
    return recipe.model_copy(update=update)


def _batch(recipe: Recipe, relations: int, fewest: int) -> tuple[int, int]:
    """Return the number of relations per batch and of statements per relation.

    With fewer relations than the recipe asks for, a batch takes more statements of each, as far as the smallest
    relation has them, so that a step sees about as many statements as the recipe says.
    """
    step = recipe.relations_per_batch * recipe.statements_per_relation
    most = min(recipe.relations_per_batch, relations)
    depths = {min(depth, fewest) for depth in (step // most, -(-step // most))}
    return max(((min(most, step // deep), deep) for deep in depths), key=lambda batch: (batch[0] * batch[1], batch[0]))


def recipe_json(recipe: Recipe) -> dict[str, Any]:
    """Return the settings of a recipe that a point records."""
    return recipe.model_dump(mode="json", exclude={"encoder", "seed"})
