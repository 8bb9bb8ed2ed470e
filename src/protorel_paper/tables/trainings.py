"""What the rows of all tables are made with: one budget, one set of data, one folder of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from protorel.model import RelationModel
from protorel.recipes import TrainingSettings
from protorel.training import (
    FinetuneRecipe,
    Watcher,
    finetune,
    load_finetune_recipe,
    load_recipe,
    pretrain,
    recipe_settings,
)
from protorel_paper.engine.precision import TablePrecision
from protorel_paper.engine.stages import RunFolders, Stage
from protorel_paper.tables.budget import Budget
from protorel_paper.tables.rows import Row
from protorel_paper.tables.sources import Described
from protorel_paper.tables.tiny import TINY, tiny_encoder

DISTANT, JUDGED_BY = "distant", "fewrel_val"
"""What pretraining reads, and what all of it is kept apart from."""
TUNED = {"fewrel_train": "tuned", "semeval_train": "semeval"}
"""What the run of a row is called by the data that it is tuned on."""


class Workshop:
    """Plans trainings; a row of one table finds what another table's row has trained already."""

    def __init__(self, out: Path, budget: Budget, data: Described) -> None:
        self.out, self.budget, self.data = out, budget, data
        self.runs = RunFolders(out)
        self.precision = TablePrecision(out)

    def encoder(self) -> str:
        """Return what the transformer rows begin with."""
        chosen = self.budget.encoder
        return str(tiny_encoder(self.out / "data" / TINY)) if chosen == TINY else chosen

    def pretraining(self, recipe_name: str, seed: int) -> Stage:
        """Plan a pretraining on distant labels."""
        asked = load_recipe(f"{recipe_name}{self.budget.suffix}", [*self.budget.pretraining, f"seed={seed}"])
        recipe = self.precision.settle(asked, self.budget.encoder)

        def train(out: Path, resume: bool, watch: Watcher | None) -> RelationModel:
            chosen = recipe.model_copy(update={"encoder": self.encoder()})
            tests = [self.data.open(JUDGED_BY)]
            return pretrain(self.data.open(DISTANT), out, chosen, decontaminate=tests, resume=resume, watch=watch)

        settings = {"encoder": self.budget.encoder, **self._settings(recipe, DISTANT, JUDGED_BY)}
        return Stage(f"{recipe_name}-seed{seed}", settings, train)

    def tuning(
        self, row: Row, seed: int, *, data: str, apart_from: str, only_for: tuple[int, int] | None = None
    ) -> tuple[Stage, ...]:
        """Plan all trainings of a row, the last one on clean labels; `only_for` is the setting that it is for."""
        before = (self.pretraining(row.pretrain, seed),) if row.pretrain is not None else ()
        if row.first is not None and self.budget.begins_simply:
            recipe = self._recipe(row, row.first, seed, None, also=row.first_set)
            before = (self._tuned(f"{row.name}-first-seed{seed}", recipe, before, data, apart_from),)
        if row.tune is None:
            return before
        name = "-".join([row.name, TUNED.get(data, data), *_setting(row, only_for), f"seed{seed}"])
        recipe = self._recipe(row, row.tune, seed, only_for)
        return (*before, self._tuned(name, recipe, before, data, apart_from))

    def _tuned(self, name: str, recipe: FinetuneRecipe, before: tuple[Stage, ...], data: str, apart_from: str) -> Stage:
        """Plan one tuning, from the stage before it where there is one."""

        def train(out: Path, resume: bool, watch: Watcher | None) -> RelationModel:
            model = str(self.runs.at(before[0])) if before else None if recipe.encoder else self.encoder()
            tests = [self.data.open(apart_from)]
            return finetune(model, self.data.open(data), out, recipe, decontaminate=tests, resume=resume, watch=watch)

        begins = before[0].settings if before else {"encoder": recipe.encoder or self.budget.encoder}
        return Stage(name, {"start": begins, **self._settings(recipe, data, apart_from)}, train)

    def _recipe(
        self, row: Row, name: str, seed: int, only_for: tuple[int, int] | None, *, also: tuple[str, ...] = ()
    ) -> FinetuneRecipe:
        # What a row asks for gives way to a budget that makes everything small.
        overrides = [*also, *self.budget.training.get(row.trained, ()), f"seed={seed}"]
        if only_for is not None:
            way, shot = only_for
            overrides += [override.format(way=way, shot=shot) for override in row.for_each]
        recipe = load_finetune_recipe(f"{name}{self.budget.suffix}", overrides)
        return self.precision.settle(recipe, recipe.encoder or self.budget.encoder)

    def _settings(self, recipe: TrainingSettings, data: str, apart_from: str) -> dict[str, Any]:
        return {
            **recipe_settings(recipe),
            "data": self.data.fingerprints((data,)),
            "apart_from": self.data.fingerprints((apart_from,)),
        }


def _setting(row: Row, only_for: tuple[int, int] | None) -> list[str]:
    """Name the setting that a run is for, where it serves one only."""
    return [f"{only_for[0]}w{only_for[1]}s"] if only_for is not None and row.for_each else []
