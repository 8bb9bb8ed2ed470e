"""The base class of all kinds of training: its data and encoder, the settings of a resumed run, the run folder."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import StatementTokenizer
from protorel.encoders import RelationEncoder, TransformerEncoder
from protorel.io import disk_errors, in_the_making
from protorel.model import RelationModel, load_record
from protorel.recipes import TrainingSettings
from protorel.statements import Selection
from protorel.training.data.decontamination import Decontaminated
from protorel.training.data.kept_statements import count_distinct, keep_statements, rows_to_keep
from protorel.training.data.labelled_data import class_means, data_record, tokenised
from protorel.training.journal import read_journal
from protorel.training.loop import Watcher
from protorel.training.precision import PrecisionChoice
from protorel.training.run import Clock, TrainingRun, trainable, training_device

_Recipe = TypeVar("_Recipe", bound=TrainingSettings)


class Training(Generic[_Recipe]):
    """One training: an encoder, the tokenised data, and what is written at the end.

    A subclass sets `state`, and defines `train` and `finish`.

    Args:
        recipe: The settings, with the precision already chosen.
        selection: The labelled statements.
        folder: The run folder.
        clean: What was removed from the data.
        encoder: The encoder to train, and its tokenizer.
        started_from: The model that is tuned; None in pretraining.
    """

    STATEMENTS_PER_MEAN: ClassVar[int] = 100
    """Where class means serve as prototypes, the number of statements per mean."""
    state: TrainingRun
    precision: PrecisionChoice | None = None
    """Why the recipe's precision was chosen."""
    statements_to_keep: int = 0
    """How many training statements the run keeps as evidence."""

    def __init__(
        self,
        recipe: _Recipe,
        selection: Selection,
        folder: Path,
        clean: Decontaminated,
        encoder: tuple[RelationEncoder, StatementTokenizer],
        started_from: RelationModel | None = None,
    ) -> None:
        self.recipe, self.folder, self.clean = recipe, folder, clean
        self.encoder, self.tokenizer = encoder
        self.started_from = None
        if started_from is not None:
            self.started_from = {"name": started_from.name, "fingerprint": started_from.fingerprint}
        self.selection, self.rows = tokenised(selection, self.tokenizer, recipe)
        self.device = training_device()
        if recipe.low_rank is not None and isinstance(self.encoder, TransformerEncoder):
            self.encoder.learn_in_low_rank(recipe.low_rank, self.tokenizer, seed=recipe.seed)
        self.module = trainable(self.encoder, recipe.precision)

    def run(
        self, *, clock: Clock, precision: PrecisionChoice, resume: bool, watch: Watcher | None = None
    ) -> RelationModel:
        """Train from the start or from the last checkpoint, and return the model of the finished run."""
        self.state.clock, self.precision = clock, precision
        if resume:
            self.state.resume()
        self.train(watch)
        return self.finish()

    def train(self, watch: Watcher | None) -> None:
        """Take the remaining steps."""
        raise NotImplementedError

    def finish(self) -> RelationModel:
        """Write the run folder and return the model."""
        raise NotImplementedError

    def settings(self, **more: Any) -> dict[str, Any]:
        """Return all settings that the result depends on, for the checkpoint; `more` are those of the subclass."""
        model = {} if self.started_from is None else {"model": self.started_from["fingerprint"]}
        return {
            "recipe": self.recipe.model_dump(mode="json", exclude={"checkpoint_every", "name"}),
            **model,
            "data": self.selection.fingerprint,
            **more,
            "apart_from": self.clean.fingerprints,
            "tokenizer": self.tokenizer.fingerprint,
        }

    def class_means(
        self, *, of: int = STATEMENTS_PER_MEAN, centred: bool = False, among: NDArray[np.int64] | None = None
    ) -> Float[Tensor, "relations width"]:
        """Return the mean vector of each relation's first statements; moves the encoder to the CPU."""
        self.module.to("cpu")
        return class_means(self.encoder, self.tokenizer, self.rows, of=of, centred=centred, among=among)

    def save(self, model: RelationModel, *, results: Mapping[str, Any], **sections: Any) -> RelationModel:
        """Write the model with its record, and return it with the record as it is read back.

        Args:
            model: The trained model.
            results: The section `results` of the record; the last terms of the loss are added.
            **sections: Sections of the record that only this kind of training has.
        """
        if isinstance(self.encoder, TransformerEncoder):
            self.encoder.merge()
        if not self.statements_to_keep:
            return self._saved(model, results=results, **sections)
        among = self.trained_rows()
        rows = rows_to_keep(self.rows, among, self.statements_to_keep, seed=self.recipe.seed)
        sections |= {"training_statements": {"kept": len(rows), "of": count_distinct(self.rows, among)}}
        with disk_errors(self.folder), in_the_making(self.folder / "training_statements") as place:
            place.mkdir()
            self.module.to(self.device)
            kept = keep_statements(model, self.selection.source, self.rows, rows, place)
            self.module.to("cpu")
            return self._saved(replace(model, training_statements=kept), results=results, **sections)

    def trained_rows(self) -> NDArray[np.int64]:
        """Return the rows of the data that are trained on: all, unless some are held out."""
        return np.arange(len(self.rows), dtype=np.int64)

    def _saved(self, model: RelationModel, *, results: Mapping[str, Any], **sections: Any) -> RelationModel:
        lines = list(read_journal(self.folder))
        started_from = {} if self.started_from is None else {"started_from": self.started_from}
        record = {
            "recipe": self.recipe.model_dump(mode="json"),
            "precision": self.precision.as_json() if self.precision is not None else None,
            **started_from,
            "data": data_record(self.rows, fingerprint=self.selection.fingerprint),
            **sections,
            "leakage": self.clean.as_json(),
            "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "seconds": self.state.clock.seconds,
            "results": {**results, "last_terms": lines[-1].get("terms", {}) if lines else {}},
        }
        model.save_pretrained(self.folder, record=record)
        kept = model.training_statements
        moved = None if kept is None else replace(kept, folder=self.folder.absolute())
        return replace(model, record=load_record(self.folder), training_statements=moved)
