"""Pretraining: from distantly labelled statements to an encoder with one prototype per relation."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from protorel.batches import refuse_lone
from protorel.encoders import TransformerEncoder
from protorel.geometry import Prototypes, dispersion
from protorel.model import RelationModel, load_record
from protorel.objectives import WeightedSum
from protorel.recipes import Recipe, check_texts, load_recipe
from protorel.statements import (
    BadInput,
    Descriptions,
    Equivalents,
    RelationVocabulary,
    Selection,
    StatementsLike,
    as_data_set,
    load_equivalents,
)
from protorel.training.building import build_encoder
from protorel.training.decontamination import Decontaminated, TestSets, as_test_sets, remove_overlap
from protorel.training.folder import finished_model, is_finished, run_folder
from protorel.training.journal import read_journal
from protorel.training.labelled_data import (
    as_descriptions,
    class_means,
    data_record,
    labels_of_none,
    select_labelled,
    tokenised,
)
from protorel.training.loop import Watcher, step_seed
from protorel.training.optimiser import Optimiser
from protorel.training.precision import PrecisionChoice, settle_precision
from protorel.training.pretraining_step import PretrainingStep, StatementWeights
from protorel.training.relation_texts import TextsOfRelations
from protorel.training.run import Clock, TrainingRun, trainable, training_device
from protorel.training.training_dynamics import DYNAMICS, TrainingDynamics

_MEAN_OF = 100
"""Statements per mean, where class means serve as prototypes because the objective trains none."""
_START_OF = 20
"""Statements per mean, where class means are the initial prototypes."""


def pretrain(
    data: StatementsLike,
    out: Path | str,
    recipe: Recipe | Path | str = "col_final",
    *,
    decontaminate: TestSets = (),
    equivalents: Equivalents | Path | str | None = None,
    descriptions: Descriptions | Path | str | None = None,
    resume: bool = False,
    keep_state: bool = False,
    start: Prototypes | None = None,
    watch: Watcher | None = None,
    **settings: Any,
) -> RelationModel:
    """Train an encoder and one prototype per relation on labelled statements, and write a run folder.

    Args:
        data: Statements, a data set, a Parquet file, or a folder of Parquet files.
        out: The run folder to write. It must not exist yet, unless `resume` is set.
        recipe: A recipe, the name of one that we ship, or a YAML file.
        decontaminate: Test sets. Training statements that share something with them are removed.
        equivalents: Relations that mean the same, for the comparison with test sets, and labels that mean none.
        descriptions: Names and descriptions of relations, for objectives that read them.
        resume: Continue a stopped run from its last checkpoint. It ends with the same weights, bit for bit, as an
            uninterrupted run. A finished run is returned as it is.
        keep_state: Keep the optimiser state of the finished run.
        start: Initial prototypes, at least one for each relation of the data; by default as in the recipe.
        watch: Called after every step, such as a progress bar.
        **settings: Settings of the recipe to change, such as `steps=3` or `**{"objective.mlm.weight": 0}`.

    Returns:
        The trained model, as `RelationModel` loads it from `out`.

    Raises:
        BadInput: The data, the recipe or a setting cannot be used.
        WorkFailed: The loss or the weights are no longer finite, or a file cannot be written.
        Interrupted: Ctrl-C was pressed; `resume` continues.

    >>> from tempfile import TemporaryDirectory
    >>> from protorel.corpora import SmallWorldSettings, build_small_world
    >>> world = build_small_world(SmallWorldSettings(statements_per_relation=4))
    >>> with TemporaryDirectory() as folder:
    ...     model = pretrain(world.train, f"{folder}/run", "smoke", encoder="cnn", steps=2)
    >>> len(model.relations)
    22
    """
    clock = Clock()
    test_sets = as_test_sets(decontaminate, settings)
    recipe = load_recipe(recipe, settings)
    words = as_descriptions(descriptions)
    meanings = equivalents if isinstance(equivalents, Equivalents) else load_equivalents(equivalents)
    check_texts(recipe.objective, words, phrase=recipe.phrase)
    with run_folder(out, resume=resume, keep_state=keep_state) as folder:
        if resume and is_finished(folder):
            return finished_model(folder, recipe)
        recipe, precision = settle_precision(recipe, recipe.encoder, folder)
        clean = remove_overlap(as_data_set(data).source, test_sets, encoder=recipe.encoder, equivalents=meanings)
        selection = select_labelled(clean.source, recipe)
        if recipe.batches_by == "relation":
            none = labels_of_none(selection.counts, meanings) if recipe.no_relation == "push" else ()
            related = {name: count for name, count in selection.counts.items() if name not in none}
            refuse_lone(list(related.values()), list(related))
        training = Pretraining(recipe, selection, folder, clean, words, meanings)
        training.state.clock, training.precision, training.start = clock, precision, start
        if resume:
            training.state.resume()
        training.train(watch)
        return training.finish()


class Pretraining:
    """One pretraining run: its parts, its training and its result."""

    def __init__(
        self,
        recipe: Recipe,
        selection: Selection,
        folder: Path,
        clean: Decontaminated | None = None,
        descriptions: Descriptions | None = None,
        equivalents: Equivalents | None = None,
    ) -> None:
        self.recipe, self.folder = recipe, folder
        self.precision: PrecisionChoice | None = None
        """Why the recipe's precision was chosen."""
        self.start: Prototypes | None = None
        """Initial prototypes, instead of the recipe's."""
        self.clean = clean or Decontaminated(selection.source)
        descriptions = descriptions.phrased(recipe.phrase) if descriptions is not None else None
        self.encoder, self.tokenizer = build_encoder(recipe, selection.source)
        if isinstance(self.encoder, TransformerEncoder):
            self.encoder.trains_padding_free = recipe.padding_free
        self.selection, self.rows = tokenised(selection, self.tokenizer, recipe)
        if recipe.no_relation == "push":
            none = labels_of_none(self.rows.names, equivalents or load_equivalents())
            self.rows = self.rows.without_labels(none)
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
        self.dynamics = TrainingDynamics(folder / "state" / "learning")
        self.step = PretrainingStep(
            recipe, self.encoder, self.objective, self.rows, self.dynamics, self.texts, self.weights
        )
        self.state = TrainingRun(
            folder,
            {"encoder": self.module, "objective": self.objective},
            Optimiser(self.module, self.objective, recipe, steps=recipe.steps),
            {"learning": self.dynamics},
            settings={
                "recipe": recipe.model_dump(mode="json", exclude={"checkpoint_every", "name"}),
                "data": self.selection.fingerprint,
                "apart_from": self.clean.fingerprints,
                "descriptions": descriptions.fingerprint if descriptions is not None else None,
                "tokenizer": self.tokenizer.fingerprint,
            },
        )

    def train(self, watch: Watcher | None) -> None:
        """Take the remaining steps."""
        if self.objective.moves_prototypes and self.state.done == 0:
            if self.start is not None:
                self.objective.start_prototypes(self.start.vectors[self._places(self.start)].to(self.device))
            elif self.recipe.prototype_start == "means":
                self.objective.start_prototypes(self._class_means(of=_START_OF, centred=True).to(self.device))
                self.module.to(self.device)
        self.state.fit(self.step, self.recipe, steps=self.recipe.steps, watch=watch)

    def _places(self, start: Prototypes) -> list[int]:
        """Return the place of each relation of the data among the initial prototypes."""
        missing = [name for name in self.rows.names if name not in start.relations]
        if missing or start.vectors.shape[1] != self.encoder.width:
            raise BadInput(
                f"start: expected a prototype of width {self.encoder.width} for each relation of the data, got "
                f"width {start.vectors.shape[1]}" + (f" and none for {', '.join(missing)}" if missing else "")
            )
        return [start.relations.index(name) for name in self.rows.names]

    def finish(self) -> RelationModel:
        """Write the model, the training dynamics and the record of the run."""
        self.module.to("cpu").eval()
        relations = RelationVocabulary(self.rows.names)
        prototypes, recipe = self._prototypes(relations), self.recipe
        model = RelationModel(
            self.encoder, self.tokenizer, prototypes, recipe.max_length, self.folder.name, phrase=recipe.phrase
        )
        if len(self.dynamics):
            self.dynamics.write(self.folder / DYNAMICS, ids=self.rows.all_ids())
        model.save_pretrained(self.folder, record=self._record(model))
        return replace(model, record=load_record(self.folder))

    def _prototypes(self, relations: RelationVocabulary) -> Prototypes:
        learned = self.objective.learned_prototypes()
        if learned is not None:
            rows, cosines = self.dynamics.latest()
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
            "leakage": self.clean.as_json(),
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
