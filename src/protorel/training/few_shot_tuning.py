"""Few-shot tuning: an encoder learns on episodes to classify by a few examples (algorithm 2).

If the recipe names a few-shot method with its own weights, the method is trained together with the encoder.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from protorel.encoders import check_reads_pairs
from protorel.fewshot import EpisodeMethod, find_method, make_method
from protorel.geometry import Prototypes
from protorel.model import RelationModel, load_record
from protorel.recipes import EpisodeRecipe
from protorel.statements import Descriptions, RelationVocabulary, Selection
from protorel.training.decontamination import Decontaminated
from protorel.training.episode_step import EpisodeStep
from protorel.training.journal import read_journal
from protorel.training.labelled_data import class_means, data_record, tokenised
from protorel.training.loop import Watcher, step_seed
from protorel.training.optimiser import Optimiser
from protorel.training.precision import PrecisionChoice
from protorel.training.relation_texts import TextsOfRelations
from protorel.training.run import TrainingRun, trainable, training_device

_MEAN_OF = 100
"""Statements per mean: class means serve as prototypes."""


class FewShotTuning:
    """One run of few-shot tuning: its parts, its training and its result."""

    def __init__(
        self,
        recipe: EpisodeRecipe,
        start: RelationModel,
        selection: Selection,
        folder: Path,
        clean: Decontaminated,
        descriptions: Descriptions | None = None,
    ) -> None:
        self.recipe, self.folder, self.clean = recipe, folder, clean
        self.precision: PrecisionChoice | None = None
        """Why the recipe's precision was chosen."""
        self.encoder, self.tokenizer = start.encoder, start.tokenizer
        self.started_from = {"name": start.name, "fingerprint": start.fingerprint}
        self.selection, self.rows = tokenised(selection, self.tokenizer, recipe)
        self.texts = None
        self.phrase = start.phrase if recipe.phrase is None else recipe.phrase
        if descriptions is not None:
            descriptions = descriptions.phrased(self.phrase)
            descriptions.wordings(self.rows.names)  # any relation may be a class of an episode, so each needs a text
            self.texts = TextsOfRelations(descriptions, self.rows.names, self.tokenizer, max_length=recipe.max_length)
        self.device = training_device()
        self.module = trainable(self.encoder, recipe.precision)
        self.method = self._new_method()
        self.step = EpisodeStep(recipe, self.encoder, self.rows, self.device, self.texts, self.method)
        self.state = TrainingRun(
            folder,
            {"encoder": self.module} | ({"method": self.method} if self.method is not None else {}),
            Optimiser(self.module, self.method or nn.Module(), recipe, steps=recipe.steps),
            {},
            settings={
                "recipe": recipe.model_dump(mode="json", exclude={"checkpoint_every", "name"}),
                "model": self.started_from["fingerprint"],
                "data": self.selection.fingerprint,
                "apart_from": clean.fingerprints,
                "descriptions": descriptions.fingerprint if descriptions is not None else None,
                "tokenizer": self.tokenizer.fingerprint,
            },
        )

    def _new_method(self) -> EpisodeMethod | None:
        """Return the method that the recipe names, built for this encoder's output."""
        settings = self.recipe.method
        if settings is None:
            return None
        width, needs = self.encoder.width, find_method(settings.name).needs
        if needs == "pairs":
            check_reads_pairs(self.encoder, self.tokenizer.layout, max_length=self.recipe.max_length)
        if needs != "vectors":
            with torch.no_grad():
                width = self.encoder.states(self.rows.rows.batch([0]).to(self.device)).shape[-1]
        method = make_method(settings, width=width, seed=step_seed(self.recipe.seed, 0))
        if self.recipe.precision == "bf16":
            method.learn_in_bf16()
        return method.to(self.device).train()

    def train(self, watch: Watcher | None) -> None:
        """Take the remaining steps."""
        self.state.fit(self.step, self.recipe, steps=self.recipe.steps, watch=watch)

    def finish(self) -> RelationModel:
        """Write the model, with class means as prototypes, and the record of the run."""
        self.module.to("cpu").eval()
        if self.method is not None:
            self.method.to("cpu").eval()
        means = class_means(self.encoder, self.tokenizer, self.rows, of=_MEAN_OF, centred=False)
        prototypes = Prototypes.of(RelationVocabulary(self.rows.names), means)
        model = RelationModel(
            self.encoder,
            self.tokenizer,
            prototypes,
            self.recipe.max_length,
            self.folder.name,
            method=self.method,
            phrase=self.phrase,
        )
        model.save_pretrained(self.folder, record=self._record())
        return replace(model, record=load_record(self.folder))

    def _record(self) -> dict[str, Any]:
        lines = list(read_journal(self.folder))
        return {
            "recipe": self.recipe.model_dump(mode="json"),
            "precision": self.precision.as_json() if self.precision is not None else None,
            "started_from": self.started_from,
            "data": data_record(self.rows, fingerprint=self.selection.fingerprint),
            "episodes": {
                "asked": [list(one) for one in self.recipe.episodes],
                "used": [list(one) for one in self.step.episodes],
            },
            "descriptions": self.texts.as_json() if self.texts is not None else None,
            "leakage": self.clean.as_json(),
            "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "seconds": self.state.clock.seconds,
            "results": {"steps": self.recipe.steps, "last_terms": lines[-1].get("terms", {}) if lines else {}},
        }
