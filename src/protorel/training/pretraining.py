"""Pretraining: from distantly labelled statements to an encoder with one prototype for each relation."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor, nn

from protorel.batches import TrainingRows, training_rows
from protorel.geometry import Prototypes, dispersion, mean_prototypes
from protorel.model import RelationModel
from protorel.objectives import WeightedSum
from protorel.statements import (
    BadInput,
    DataSet,
    Equivalents,
    RelationVocabulary,
    Selection,
    Statement,
    StatementSource,
    WorkFailed,
    iter_statements,
    relation_list,
    select,
)
from protorel.training.apart import Apart, keep_apart
from protorel.training.building import build_encoder
from protorel.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from protorel.training.config import Recipe
from protorel.training.journal import Journal, read_journal
from protorel.training.learning import LearningRecord
from protorel.training.loop import Watcher, fit, step_seed
from protorel.training.optimiser import Optimiser
from protorel.training.pretraining_step import PretrainingStep
from protorel.training.recipes import dotted, load_recipe

_MEAN_OF = 100
"""Where an objective trains no prototypes, a prototype is the mean of this many statements."""
_START_OF = 20
"""Where prototypes start at class means, each is the mean of this many."""


def pretrain(
    data: Path | str | Iterable[Statement],
    out: Path | str,
    recipe: Recipe | str = "col_final",
    *,
    apart_from: Iterable[DataSet | Path | str] = (),
    equivalents: Equivalents | None = None,
    resume: bool = False,
    watch: Watcher | None = None,
) -> RelationModel:
    """Train an encoder and prototypes on labelled statements, and leave a run folder at `out`.

    `data` is a Parquet file, a folder of them, or statements. What they share with the test sets in `apart_from` is
    dropped; `equivalents` says which relations mean the same. With `resume`, a run that was stopped goes on from its
    last checkpoint and ends with the weights it would have had anyway.
    """
    recipe = load_recipe(recipe) if isinstance(recipe, str) else recipe
    folder = Path(out)
    _check_folder(folder, resume=resume)
    apart = keep_apart(_source(data), apart_from, encoder=recipe.encoder, equivalents=equivalents)
    training = Pretraining(recipe, _select(apart.source, recipe), folder, apart)
    checkpoint = load_checkpoint(folder / "state") if resume else None
    if checkpoint is not None:
        training.restore(checkpoint)
    training.run(watch)
    return training.finish()


class Pretraining:
    """One pretraining run: its parts, how they are saved and restored, and what is left at the end."""

    def __init__(self, recipe: Recipe, selection: Selection, folder: Path, apart: Apart | None = None) -> None:
        self.recipe, self.selection, self.folder = recipe, selection, folder
        self.apart = apart or Apart(selection.source)
        self.encoder, self.tokenizer = build_encoder(recipe, selection.source)
        self.rows = training_rows(
            selection.source,
            self.tokenizer,
            max_length=recipe.max_length,
            data_fingerprint=selection.fingerprint,
        )
        _check_rows(self.rows)
        embeddings = self.encoder.token_embeddings
        self.objective = WeightedSum(
            recipe.objective,
            relations=len(self.rows.names),
            width=self.encoder.width,
            vocabulary=(embeddings.num_embeddings, embeddings.embedding_dim) if embeddings is not None else None,
            generator=torch.Generator().manual_seed(step_seed(recipe.seed, 0)),
        )
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.module.to(self.device).train()
        self.objective.to(self.device).train()
        self.optimiser = Optimiser(self.module, self.objective, recipe)
        self.learning = LearningRecord()
        self.done = 0

    @property
    def module(self) -> nn.Module:
        """The encoder as something with weights."""
        if not isinstance(self.encoder, nn.Module):
            raise TypeError(f"{type(self.encoder).__name__} has no weights to train")
        return self.encoder

    @property
    def settings(self) -> dict[str, Any]:
        """What the run was started with, as far as its result depends on it."""
        kept = self.recipe.model_dump(mode="json", exclude={"checkpoint_every", "name"})
        return {
            "recipe": kept,
            "data": self.selection.fingerprint,
            "apart_from": self.apart.fingerprints,
            "tokenizer": self.tokenizer.fingerprint,
        }

    def run(self, watch: Watcher | None) -> None:
        """Take all steps that are not done yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        step = PretrainingStep(self.recipe, self.encoder, self.objective, self.rows, self.learning, self.device)
        if self.done == 0:
            if self.recipe.prototype_start == "means":
                self.objective.start_prototypes(self._class_means(of=_START_OF, centred=True).to(self.device))
                self.module.to(self.device).train()
            self.save(0)
        fit(
            step,
            self.optimiser,
            start=self.done,
            steps=self.recipe.steps,
            seed=self.recipe.seed,
            checkpoint_every=self.recipe.checkpoint_every,
            save=self.save,
            journal=Journal(self.folder, steps_done=self.done),
            watch=watch,
        )

    def save(self, step: int) -> None:
        """Write a checkpoint of everything after `step` steps, unless its weights are of no more use."""
        tensors: Mapping[str, Mapping[str, Tensor]] = {
            "encoder": self.module.state_dict(),
            "objective": self.objective.state_dict(),
            "optimiser": self.optimiser.tensors(),
            "learning": self.learning.tensors(),
        }
        weights = (*tensors["encoder"].values(), *tensors["objective"].values())
        if not all(weight.float().norm().isfinite() for weight in weights):
            raise WorkFailed(
                f"step {step}: the norm of the weights is no longer finite; the checkpoint before it is kept. "
                "Starting again with a lower learning_rate may help"
            )
        save_checkpoint(Checkpoint(step, tensors, self.settings), self.folder / "state")

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back to a checkpoint, which must be one of a run with the same settings and data."""
        _check_same(self.settings, checkpoint.settings, self.folder)
        try:
            self.module.load_state_dict(checkpoint.tensors["encoder"])
            self.objective.load_state_dict(checkpoint.tensors["objective"])
            self.optimiser.restore(checkpoint.tensors["optimiser"], checkpoint.step)
            self.learning = LearningRecord(checkpoint.tensors["learning"])
        except (KeyError, RuntimeError) as problem:
            raise BadInput(f"{self.folder / 'state'}: the checkpoint does not fit the run ({problem})") from problem
        self.done = checkpoint.step

    def finish(self) -> RelationModel:
        """Write the model, what was learned of each statement, and the record of the run."""
        self.module.to("cpu").eval()
        relations = RelationVocabulary(self.rows.names)
        model = RelationModel(
            self.encoder, self.tokenizer, self._prototypes(relations), self.recipe.max_length, self.folder.name
        )
        if len(self.learning.tensors()["row"]):
            self.learning.write(self.folder / "learning.parquet", ids=self.rows.all_ids())
        model.save(self.folder, record=self._record(model))
        return model

    def _prototypes(self, relations: RelationVocabulary) -> Prototypes:
        learned = self.objective.learned_prototypes()
        if learned is not None:
            rows, cosines = self.learning.latest()
            own = torch.from_numpy(self.rows.relations.astype("int64"))[rows]
            return Prototypes.of(relations, learned.cpu()).measured(cosines, own)
        return Prototypes.of(relations, self._class_means(of=_MEAN_OF, centred=False))

    def _class_means(self, *, of: int, centred: bool) -> Float[Tensor, "relations width"]:
        """Encode the first `of` statements of each relation as the encoder is now, and return their means.

        Vectors of an encoder that was never trained all point one way; `centred` takes that way off, or else
        every prototype would start at nearly the same place.
        """
        chosen = [row for rows in self.rows.rows_of_relation() for row in rows[:of].tolist()]
        self.module.to("cpu")
        bare = RelationModel(self.encoder, self.tokenizer, Prototypes.none(self.encoder.width), self.recipe.max_length)
        vectors = F.normalize(bare.encode_rows(self.rows.rows, indices=chosen), dim=-1)
        own = torch.from_numpy(self.rows.relations.astype("int64"))[chosen]
        return mean_prototypes(vectors - vectors.mean(0) if centred else vectors, own, len(self.rows.names))

    def _record(self, model: RelationModel) -> dict[str, Any]:
        lines = list(read_journal(self.folder))
        spread = dispersion(model.prototypes.vectors) if len(model.relations) > 1 else None
        return {
            "recipe": self.recipe.model_dump(mode="json"),
            "data": {
                "fingerprint": self.selection.fingerprint,
                "statements": len(self.rows),
                "relations": len(self.rows.names),
                "unlabelled": self.rows.unlabelled,
                "rejected": list(self.rows.rejected),
            },
            "leakage": self.apart.as_json(),
            "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "results": {
                "steps": self.recipe.steps,
                "last_terms": lines[-1]["terms"] if lines else {},
                "prototypes": asdict(spread) if spread else None,
                "learned_scales": self.objective.scales(),
                "terms_left_out": self.objective.terms_left_out(),
            },
        }


def _check_folder(folder: Path, *, resume: bool) -> None:
    if resume:
        if not (folder / "state").is_dir():
            raise BadInput(f"{folder}: there is no run to resume here")
    elif folder.exists() and not _is_blank(folder):
        raise BadInput(f"{folder}: exists already; choose another --out, or go on with it by --resume")
    else:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "state").mkdir(exist_ok=True)
        except OSError as problem:
            raise BadInput(f"{folder}: cannot write here ({problem.strerror})") from problem


def _is_blank(folder: Path) -> bool:
    """Tell whether a folder holds nothing, or no more than a run leaves that was refused before its first step."""
    return folder.is_dir() and all(
        path.name == "state" and path.is_dir() and not any(path.iterdir()) for path in folder.iterdir()
    )


def _source(data: Path | str | Iterable[Statement]) -> StatementSource:
    if isinstance(data, (str, Path)):
        return lambda: iter_statements(data)
    statements = list(data)
    return lambda: statements


def _select(source: StatementSource, recipe: Recipe) -> Selection:
    without = relation_list(recipe.without_relations) if recipe.without_relations else ()
    selection = select(source, without=without, min_statements=recipe.min_statements)
    if not selection.counts:
        raise BadInput("the data holds no labelled statement to train on")
    return selection


def _check_rows(rows: TrainingRows) -> None:
    if len(rows) == 0:
        first = rows.rejected[0] if rows.rejected else {"reason": "none is labelled"}
        raise BadInput(f"none of the statements can be used for training; the first: {first['reason']}")


def _check_same(now: Mapping[str, Any], then: Mapping[str, Any], folder: Path) -> None:
    if now["apart_from"] != then.get("apart_from", []):
        raise BadInput(f"{folder}: this run was started with other --apart-from files; resume it with the same")
    if now["data"] != then["data"]:
        raise BadInput(f"{folder}: this run was started on other data; resume it with the same")
    old = dict(dotted(then["recipe"]))
    for key, value in dotted(now["recipe"]):
        if old.get(key) != value:
            raise BadInput(f"{folder}: this run was started with {key}={old.get(key)!r}, not {value!r}; resume it so")
    if now["tokenizer"] != then.get("tokenizer", now["tokenizer"]):
        raise BadInput(f"{folder}: the tokenizer or the word vectors that this run was started with have changed since")
