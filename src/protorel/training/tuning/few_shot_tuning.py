"""Few-shot tuning: an encoder learns on episodes to classify by a few examples (algorithm 2).

If the recipe names a few-shot method with its own weights, the method is trained together with the encoder.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from protorel.encoders import check_reads_pairs
from protorel.fewshot import EpisodeMethod, find_method, make_method
from protorel.geometry import Prototypes
from protorel.model import RelationModel
from protorel.recipes import EpisodeRecipe
from protorel.statements import Descriptions, RelationVocabulary, Selection
from protorel.training.base import Training
from protorel.training.data.decontamination import Decontaminated
from protorel.training.loop import Watcher, step_seed
from protorel.training.optimiser import Optimiser
from protorel.training.run import TrainingRun
from protorel.training.steps.episode_step import EpisodeStep
from protorel.training.steps.relation_texts import TextsOfRelations


class FewShotTuning(Training[EpisodeRecipe]):
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
        super().__init__(recipe, selection, folder, clean, (start.encoder, start.tokenizer), start)
        self.texts = None
        self.phrase = start.phrase if recipe.phrase is None else recipe.phrase
        if descriptions is not None:
            descriptions = descriptions.phrased(self.phrase)
            descriptions.wordings(self.rows.names)  # any relation may be a class of an episode, so each needs a text
            self.texts = TextsOfRelations(descriptions, self.rows.names, self.tokenizer, max_length=recipe.max_length)
        self.method = self._new_method()
        self.step = EpisodeStep(recipe, self.encoder, self.rows, self.device, self.texts, self.method)
        self.state = TrainingRun(
            folder,
            {"encoder": self.module} | ({"method": self.method} if self.method is not None else {}),
            Optimiser(self.module, self.method or nn.Module(), recipe, steps=recipe.steps),
            {},
            settings=self.settings(descriptions=descriptions.fingerprint if descriptions is not None else None),
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
        prototypes = Prototypes.of(RelationVocabulary(self.rows.names), self.class_means())
        model = RelationModel(
            self.encoder,
            self.tokenizer,
            prototypes,
            self.recipe.max_length,
            self.folder.name,
            method=self.method,
            phrase=self.phrase,
        )
        return self.save(
            model,
            episodes={
                "asked": [list(one) for one in self.recipe.episodes],
                "used": [list(one) for one in self.step.episodes],
            },
            descriptions=self.texts.as_json() if self.texts is not None else None,
            results={"steps": self.recipe.steps},
        )
