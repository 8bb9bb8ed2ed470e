"""Trainings of all tables: one budget, one set of data, one folder of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from protorel.encoders import resolve
from protorel.io import written_whole
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
from protorel_paper.engine import RunFolders, Stage, TablePrecision
from protorel_paper.tables.budget import Budget
from protorel_paper.tables.rows import Row
from protorel_paper.tables.sources import Described

DISTANT, FEWREL_TEST = "distant", "fewrel_val"
"""Data of every pretraining, and the test set whose overlap with them is removed."""
TUNED = {"fewrel_train": "tuned", "semeval_train": "semeval"}
"""Part of a run's name, by the data that it is tuned on."""
TINY = "tiny"
"""Encoder of budget smoke: a transformer of the usual shape, small enough to try every row in seconds."""


class Trainings:
    """Plans trainings; a row of one table reuses what another table's row has trained."""

    def __init__(self, out: Path, budget: Budget, data: Described) -> None:
        self.out, self.budget, self.data = out, budget, data
        self.runs = RunFolders(out)
        self.precision = TablePrecision(out)

    def encoder(self) -> str:
        """Return the encoder that transformer rows start from."""
        chosen = self.budget.encoder
        return str(tiny_encoder(self.out / "data" / TINY)) if chosen == TINY else chosen

    def pretraining(self, recipe_name: str, seed: int) -> Stage:
        """Plan a pretraining on distant labels."""
        asked = load_recipe(f"{recipe_name}{self.budget.suffix}", [*self.budget.pretraining, f"seed={seed}"])
        recipe = self.precision.settle(asked, self.budget.encoder)

        def train(out: Path, resume: bool, watch: Watcher | None) -> RelationModel:
            chosen = recipe.model_copy(update={"encoder": self.encoder()})
            tests = [self.data.open(FEWREL_TEST)]
            return pretrain(self.data.open(DISTANT), out, chosen, decontaminate=tests, resume=resume, watch=watch)

        settings = {"encoder": self.budget.encoder, **self._settings(recipe, DISTANT, FEWREL_TEST)}
        return Stage(f"{recipe_name}-seed{seed}", settings, train)

    def tuning(
        self, row: Row, seed: int, *, data: str, test: str, only_for: tuple[int, int] | None = None
    ) -> tuple[Stage, ...]:
        """Plan all trainings of a row, the last one on clean labels.

        Args:
            row: The row.
            seed: Random seed of every training.
            data: Name of the data set to tune on.
            test: Name of the test set whose overlap is removed from the training data.
            only_for: Classes and examples per class, if the row is tuned for one setting only.
        """
        before = (self.pretraining(row.pretrain, seed),) if row.pretrain is not None else ()
        if row.first is not None and self.budget.starts_simply:
            recipe = self._recipe(row, row.first, seed, None, also=row.first_set)
            before = (self._tuned(f"{row.name}-first-seed{seed}", recipe, before, data, test),)
        if row.tune is None:
            return before
        name = "-".join([row.name, TUNED.get(data, data), *_setting(row, only_for), f"seed{seed}"])
        recipe = self._recipe(row, row.tune, seed, only_for)
        return (*before, self._tuned(name, recipe, before, data, test))

    def _tuned(self, name: str, recipe: FinetuneRecipe, before: tuple[Stage, ...], data: str, test: str) -> Stage:
        """Plan one tuning, starting from the stage before it if there is one."""

        def train(out: Path, resume: bool, watch: Watcher | None) -> RelationModel:
            model = str(self.runs.at(before[0])) if before else None if recipe.encoder else self.encoder()
            tests = [self.data.open(test)]
            return finetune(model, self.data.open(data), out, recipe, decontaminate=tests, resume=resume, watch=watch)

        start = before[0].settings if before else {"encoder": recipe.encoder or self.budget.encoder}
        return Stage(name, {"start": start, **self._settings(recipe, data, test)}, train)

    def _recipe(
        self, row: Row, name: str, seed: int, only_for: tuple[int, int] | None, *, also: tuple[str, ...] = ()
    ) -> FinetuneRecipe:
        # Settings of the budget come after those of the row: a small budget makes everything small.
        overrides = [*also, *self.budget.training.get(row.trained, ()), f"seed={seed}"]
        if only_for is not None:
            way, shot = only_for
            overrides += [override.format(way=way, shot=shot) for override in row.for_each]
        recipe = load_finetune_recipe(f"{name}{self.budget.suffix}", overrides)
        return self.precision.settle(recipe, recipe.encoder or self.budget.encoder)

    def _settings(self, recipe: TrainingSettings, data: str, test: str) -> dict[str, Any]:
        return {
            **recipe_settings(recipe),
            "data": self.data.fingerprints((data,)),
            "apart_from": self.data.fingerprints((test,)),
        }


def _setting(row: Row, only_for: tuple[int, int] | None) -> list[str]:
    """Return the name of the setting that a run is for, if it serves one only."""
    return [f"{only_for[0]}w{only_for[1]}s"] if only_for is not None and row.for_each else []


def tiny_encoder(folder: Path, *, like: str = "minilm") -> Path:
    """Make a BERT of two narrow layers with another encoder's tokenizer, once, with weights from a fixed seed."""
    from transformers import AutoTokenizer, BertConfig, BertModel

    if folder.is_dir():
        return folder
    found = resolve(like)
    tokenizer = AutoTokenizer.from_pretrained(found.name, local_files_only=found.local)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=128,
        initializer_range=0.3,  # wider than BERT's, so that statements differ visibly
    )
    with torch.random.fork_rng(devices=[]), written_whole(folder) as place:
        torch.manual_seed(0)
        BertModel(config).save_pretrained(place)
        tokenizer.save_pretrained(place)
    return folder
