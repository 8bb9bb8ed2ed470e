"""Pretraining: from distantly labelled statements to an encoder with one prototype per relation."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from protorel.batches import refuse_lone
from protorel.encoders import TransformerEncoder
from protorel.geometry import Prototypes, dispersion
from protorel.io import kind
from protorel.model import RelationModel
from protorel.objectives import WeightedSum
from protorel.recipes import Recipe, check_low_rank, check_texts, load_recipe
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
from protorel.training.base import Training
from protorel.training.building import build_encoder
from protorel.training.data.decontamination import (
    Decontaminated,
    TestSets,
    as_equivalents,
    as_test_sets,
    remove_overlap,
)
from protorel.training.data.kept_statements import as_most_kept
from protorel.training.data.labelled_data import as_descriptions, labels_of_none, select_labelled
from protorel.training.folder import finished_model, is_finished, run_folder
from protorel.training.loop import Watcher, step_seed
from protorel.training.optimiser import Optimiser
from protorel.training.precision import reads_words, settle_precision
from protorel.training.run import Clock, TrainingRun, check_watcher
from protorel.training.steps.pretraining_step import PretrainingStep, StatementWeights
from protorel.training.steps.relation_texts import TextsOfRelations
from protorel.training.steps.training_dynamics import DYNAMICS, TrainingDynamics

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
    keep_statements: bool | int = False,
    start: Prototypes | None = None,
    watch: Watcher | None = None,
    **settings: Any,
) -> RelationModel:
    """Train an encoder and one prototype per relation on labelled statements, and write a run folder.

    Args:
        data: Labelled statements: a Parquet file or a folder of them, Statements, dicts, a DataFrame, or anything else
            that `as_statements` accepts.
        out: The run folder to write. It must not exist yet, unless `resume` is set.
        recipe: A recipe, the name of one that we ship, or a YAML file.
        decontaminate: One or more test sets, each like `data`. Training statements that overlap with them are removed.
        equivalents: Relations that mean the same, for the comparison with test sets, and labels that mean none.
        descriptions: Names and descriptions of relations, for objectives that read them.
        resume: Continue a stopped run from its last checkpoint. It ends with the same weights, bit for bit, as an
            uninterrupted run. A finished run is returned as it is.
        keep_state: Keep the optimiser state of the finished run.
        keep_statements: Keep the training statements and their vectors, so that `predict` can show the nearest ones. A
            number keeps at most so many, drawn evenly over relations.
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
    words, meanings = as_descriptions(descriptions), as_equivalents(equivalents) or load_equivalents()
    check_watcher(watch)
    most_kept = as_most_kept(keep_statements)
    if not isinstance(start, (Prototypes, type(None))):
        raise BadInput(f"start: expected Prototypes, got {kind(start)}")
    check_texts(recipe.objective, words, phrase=recipe.phrase)
    check_low_rank(recipe, words=reads_words(recipe.encoder))
    with run_folder(out, resume=resume, keep_state=keep_state) as folder:
        if resume and is_finished(folder):
            return finished_model(folder, recipe, keep_statements=most_kept > 0)
        recipe, precision = settle_precision(recipe, recipe.encoder, folder)
        clean = remove_overlap(
            as_data_set(data).source, test_sets, encoder=recipe.encoder, equivalents=meanings, share=recipe.share
        )
        selection = select_labelled(clean.source, recipe)
        if recipe.batches_by == "relation":
            none = labels_of_none(selection.counts, meanings) if recipe.no_relation == "push" else ()
            related = {name: count for name, count in selection.counts.items() if name not in none}
            refuse_lone(list(related.values()), list(related))
        training = Pretraining(recipe, selection, folder, clean, words, meanings)
        training.start = start
        training.statements_to_keep = most_kept
        return training.run(clock=clock, precision=precision, resume=resume, watch=watch)


class Pretraining(Training[Recipe]):
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
        built = build_encoder(recipe, selection.source)
        super().__init__(recipe, selection, folder, clean or Decontaminated(selection.source), built)
        self.start: Prototypes | None = None
        """Initial prototypes, instead of the recipe's."""
        if isinstance(self.encoder, TransformerEncoder):
            self.encoder.trains_padding_free = recipe.padding_free
        if recipe.no_relation == "push":
            none = labels_of_none(self.rows.names, equivalents or load_equivalents())
            self.rows = self.rows.without_labels(none)
        self.descriptions = descriptions
        descriptions = descriptions.phrased(recipe.phrase) if descriptions is not None else None
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
            settings=self.settings(descriptions=descriptions.fingerprint if descriptions is not None else None),
        )

    def train(self, watch: Watcher | None) -> None:
        """Take the remaining steps."""
        if self.objective.moves_prototypes and self.state.done == 0:
            if self.start is not None:
                self.objective.start_prototypes(self.start.vectors[self._places(self.start)].to(self.device))
            elif self.recipe.prototype_start == "means":
                self.objective.start_prototypes(self.class_means(of=_START_OF, centred=True).to(self.device))
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
        if self.descriptions is not None:
            relations = self.descriptions.vocabulary(self.rows.names)
        prototypes, recipe = self._prototypes(relations), self.recipe
        model = RelationModel(
            self.encoder, self.tokenizer, prototypes, recipe.max_length, self.folder.name, phrase=recipe.phrase
        )
        if len(self.dynamics):
            self.dynamics.write(self.folder / DYNAMICS, ids=self.rows.all_ids())
        spread = dispersion(prototypes.vectors) if len(relations) > 1 else None
        return self.save(
            model,
            batches=self.step.shape.as_json(),
            descriptions=self.texts.as_json() if self.texts is not None else None,
            statement_weights=self.weights.as_json() if self.weights is not None else None,
            results={
                "steps": recipe.steps,
                "prototypes": asdict(spread) if spread else None,
                "learned_scales": self.objective.scales(),
                "terms_left_out": self.objective.terms_left_out(),
            },
        )

    def _prototypes(self, relations: RelationVocabulary) -> Prototypes:
        learned = self.objective.learned_prototypes()
        if learned is not None:
            rows, cosines = self.dynamics.latest()
            own = torch.from_numpy(self.rows.relations.astype("int64"))[rows]
            return Prototypes.of(relations, learned.cpu()).measured(cosines, own)
        return Prototypes.of(relations, self.class_means())
