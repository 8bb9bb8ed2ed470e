"""Training one point of an experiment: a short run on drawn statements, used and thrown away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from protorel.model import RelationModel
from protorel.statements import Statement, fingerprint
from protorel.training import Recipe, Watcher, pretrain, reads_words


def train_point(
    statements: Sequence[Statement], scratch: Path, recipe: Recipe, *, watch: Watcher | None
) -> tuple[RelationModel, dict[str, Any]]:
    """Train on drawn statements, with batches that fit them, and say what was trained on."""
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
    """Return the recipe for so many statements of each relation.

    What the drawing has chosen is not left out again, and the run is thrown away, so it is saved as rarely as can be.
    """
    if reads_words(recipe.encoder):
        recipe = recipe.model_copy(update={"precision": "fp32"})  # what was settled is for the transformers
    update: dict[str, Any] = {"without_relations": None, "min_statements": 1, "checkpoint_every": recipe.steps}
    if recipe.batches_by == "relation":
        wide, deep = _batch(recipe, len(counts), min(counts.values()))
        update |= {"relations_per_batch": wide, "statements_per_relation": deep}
    return recipe.model_copy(update=update)


def _batch(recipe: Recipe, relations: int, fewest: int) -> tuple[int, int]:
    """Return how many relations and statements of each make a batch.

    It has no more relations than there are; it takes more statements of each instead, as far as the smallest relation
    has them, so that a step sees as many statements as the recipe says, or nearly.
    """
    step = recipe.relations_per_batch * recipe.statements_per_relation
    most = min(recipe.relations_per_batch, relations)
    depths = {min(depth, fewest) for depth in (step // most, -(-step // most))}
    return max(((min(most, step // deep), deep) for deep in depths), key=lambda batch: (batch[0] * batch[1], batch[0]))


def recipe_json(recipe: Recipe) -> dict[str, Any]:
    """Return every setting of a recipe for the record of a point."""
    return recipe.model_dump(mode="json", exclude={"encoder", "seed"})
