"""Pretraining: from distantly labelled statements to an encoder with one prototype for each relation."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from protorel.batches import refuse_lone
from protorel.encoders import TransformerEncoder
from protorel.geometry import Prototypes, dispersion
from protorel.model import RelationModel
from protorel.objectives import WeightedSum
from protorel.recipes import Recipe, check_texts, load_recipe
from protorel.statements import (
    BadInput,
    DataSet,
    Descriptions,
    Equivalents,
    RelationVocabulary,
    Selection,
)
from protorel.training.apart import Apart, keep_apart
from protorel.training.building import build_encoder
from protorel.training.clock import Clock
from protorel.training.finished import finished_model
from protorel.training.folder import is_finished, run_folder
from protorel.training.journal import read_journal
from protorel.training.labelled_data import Data, class_means, data_record, select_labelled, source_of, tokenised
from protorel.training.learning import LearningRecord
from protorel.training.loop import Watcher, step_seed
from protorel.training.optimiser import Optimiser
from protorel.training.precision import PrecisionChoice, settle_precision
from protorel.training.pretraining_step import PretrainingStep
from protorel.training.relation_texts import TextsOfRelations
from protorel.training.run import TrainingRun, trainable, training_device
from protorel.training.statement_weights import StatementWeights

_MEAN_OF = 100
"""Where an objective trains no prototypes, a prototype is the mean of this many statements."""
_START_OF = 20
"""Where prototypes start at class means, each is the mean of this many."""


def pretrain(
    data: Data,
    out: Path | str,
    recipe: Recipe | str = "col_final",
    *,
    apart_from: Iterable[DataSet | Path | str] = (),
    equivalents: Equivalents | None = None,
    descriptions: Descriptions | None = None,
    resume: bool = False,
    keep_state: bool = False,
    start: Prototypes | None = None,
    watch: Watcher | None = None,
) -> RelationModel:
    """Train an encoder and prototypes on labelled statements, and leave a run folder at `out`.

    `data` is a Parquet file, a folder of them, or statements. What they share with the test sets in `apart_from` is
    dropped; `equivalents` says which relations mean the same, `descriptions` what they mean in words, for an objective
    that asks for it. With `resume`, a run that was stopped goes on from its last checkpoint and ends with the weights
    it would have had anyway; one that has finished is returned as it is. A finished run keeps its last checkpoint only
    with `keep_state`. Prototypes begin at those of `start`, one for each relation of the data, or else as the recipe's
    `prototype_start` says.
    """
    clock = Clock()
    recipe = load_recipe(recipe) if isinstance(recipe, str) else recipe
    check_texts(recipe.objective, descriptions, phrase=recipe.phrase)
    with run_folder(out, resume=resume, keep_state=keep_state) as folder:
        if resume and is_finished(folder):
            return finished_model(folder, recipe)
        recipe, precision = settle_precision(recipe, recipe.encoder, folder)
        apart = keep_apart(source_of(data), apart_from, encoder=recipe.encoder, equivalents=equivalents)
        selection = select_labelled(apart.source, recipe)
        if recipe.batches_by == "relation":
            refuse_lone(list(selection.counts.values()), list(selection.counts))
        training = Pretraining(recipe, selection, folder, apart, descriptions)
        training.state.clock, training.precision, training.start = clock, precision, start
        if resume:
            training.state.resume()
        training.train(watch)
        return training.finish()


class Pretraining:
    """One pretraining run: its parts, and what is left at the end."""

    def __init__(
        self,
        recipe: Recipe,
        selection: Selection,
        folder: Path,
        apart: Apart | None = None,
        descriptions: Descriptions | None = None,
    ) -> None:
        self.recipe, self.folder = recipe, folder
        self.precision: PrecisionChoice | None = None
        """Why the recipe's precision was chosen, where somebody chose."""
        self.start: Prototypes | None = None
        """Where prototypes begin, in the place of what the recipe says."""
        self.apart = apart or Apart(selection.source)
        descriptions = descriptions.phrased(recipe.phrase) if descriptions is not None else None
        self.encoder, self.tokenizer = build_encoder(recipe, selection.source)
        if isinstance(self.encoder, TransformerEncoder):
            self.encoder.trains_padding_free = recipe.padding_free
        self.selection, self.rows = tokenised(selection, self.tokenizer, recipe)
        self.texts = (
            TextsOfRelations(descriptions, self.rows.names, self.tokenizer, max_length=recipe.max_length)
            if descriptions is not None
            else None
        )
        rules = recipe.objective.ind
        self.weights = (
            StatementWeights(self.selection.source, self.rows, patterns=rules.patterns) if rules.weight else None
        )
        embeddings = self.encoder.token_embeddings
        self.objective = WeightedSum(
            recipe.objective,
            relations=len(self.rows.names),
            width=self.encoder.width,
            vocabulary=(embeddings.num_embeddings, embeddings.embedding_dim) if embeddings is not None else None,
            generator=torch.Generator().manual_seed(step_seed(recipe.seed, 0)),
        )
        self.device = training_device()
        self.module = trainable(self.encoder, recipe.precision)
        if recipe.precision == "bf16":
            self.objective.learn_in_bf16()
        self.objective.to(self.device).train()
        self.learning = LearningRecord(folder / "state" / "learning")
        self.step = PretrainingStep(
            recipe, self.encoder, self.objective, self.rows, self.learning, self.device, self.texts, self.weights
        )
        self.state = TrainingRun(
            folder,
            {"encoder": self.module, "objective": self.objective},
            Optimiser(self.module, self.objective, recipe, steps=recipe.steps),
            {"learning": self.learning},
            settings={
                "recipe": recipe.model_dump(mode="json", exclude={"checkpoint_every", "name"}),
                "data": self.selection.fingerprint,
                "apart_from": self.apart.fingerprints,
                "descriptions": descriptions.fingerprint if descriptions is not None else None,
                "tokenizer": self.tokenizer.fingerprint,
            },
        )

    def train(self, watch: Watcher | None) -> None:
        """Take all steps that are not done yet."""
        if self.objective.moves_prototypes and self.state.done == 0:
            if self.start is not None:
                self.objective.start_prototypes(self.start.vectors[self._places(self.start)].to(self.device))
            elif self.recipe.prototype_start == "means":
                self.objective.start_prototypes(self._class_means(of=_START_OF, centred=True).to(self.device))
                self.module.to(self.device)
        self.state.fit(self.step, self.recipe, steps=self.recipe.steps, watch=watch)

    def _places(self, start: Prototypes) -> list[int]:
        """Find each relation of the data among the prototypes to begin with."""
        missing = [name for name in self.rows.names if name not in start.relations]
        if missing or start.vectors.shape[1] != self.encoder.width:
            raise BadInput(
                f"start: expected a prototype of {self.encoder.width} numbers for each relation of the data, got "
                f"{start.vectors.shape[1]} numbers" + (f" and none for {', '.join(missing)}" if missing else "")
            )
        return [start.relations.index(name) for name in self.rows.names]

    def finish(self) -> RelationModel:
        """Write the model, what was learned of each statement, and the record of the run."""
        self.module.to("cpu").eval()
        relations = RelationVocabulary(self.rows.names)
        prototypes, recipe = self._prototypes(relations), self.recipe
        model = RelationModel(
            self.encoder, self.tokenizer, prototypes, recipe.max_length, self.folder.name, phrase=recipe.phrase
        )
        if len(self.learning):
            self.learning.write(self.folder / "learning.parquet", ids=self.rows.all_ids())
        model.save_pretrained(self.folder, record=self._record(model))
        return model

    def _prototypes(self, relations: RelationVocabulary) -> Prototypes:
        learned = self.objective.learned_prototypes()
        if learned is not None:
            rows, cosines = self.learning.latest()
            own = torch.from_numpy(self.rows.relations.astype("int64"))[rows]
            return Prototypes.of(relations, learned.cpu()).measured(cosines, own)
        return Prototypes.of(relations, self._class_means(of=_MEAN_OF, centred=False))

    def _class_means(self, *, of: int, centred: bool) -> Float[Tensor, "relations width"]:
        self.module.to("cpu")
        return class_means(self.encoder, self.tokenizer, self.rows, of=of, centred=centred)

    def _record(self, model: RelationModel) -> dict[str, Any]:
        lines = list(read_journal(self.folder))
        spread = dispersion(model.prototypes.vectors) if len(model.relations) > 1 else None
        return {
            "recipe": self.recipe.model_dump(mode="json"),
            "precision": self.precision.as_json() if self.precision is not None else None,
            "data": data_record(self.rows, fingerprint=self.selection.fingerprint),
            "batches": self.step.shape.as_json(),
            "descriptions": self.texts.as_json() if self.texts is not None else None,
            "statement_weights": self.weights.as_json() if self.weights is not None else None,
            "leakage": self.apart.as_json(),
            "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "seconds": self.state.clock.seconds,
            "results": {
                "steps": self.recipe.steps,
                "last_terms": lines[-1].get("terms", {}) if lines else {},
                "prototypes": asdict(spread) if spread else None,
                "learned_scales": self.objective.scales(),
                "terms_left_out": self.objective.terms_left_out(),
            },
        }
