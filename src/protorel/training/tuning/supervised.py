"""Supervised tuning: an encoder and a classifier are trained together, and the best epoch is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from protorel.batches import ShuffledBatches, TokenRows
from protorel.encoders import encode_in_chunks
from protorel.geometry import Prototypes
from protorel.model import Classifier, RelationModel
from protorel.recipes import SupervisedRecipe
from protorel.statements import BadInput, RelationVocabulary, Selection
from protorel.training.base import Training
from protorel.training.data.decontamination import Decontaminated
from protorel.training.data.labelled_data import data_record
from protorel.training.loop import Watcher, step_seed
from protorel.training.optimiser import Optimiser
from protorel.training.run import TrainingRun
from protorel.training.steps.supervised_step import SupervisedStep
from protorel.training.tuning.best_epoch import BestEpoch, dev_score, dev_set, hold_out

_AT_ONCE = 64
"""Dev statements per encoded batch."""


class Supervised(Training[SupervisedRecipe]):
    """One supervised run: its parts, its training and its result."""

    def __init__(
        self,
        recipe: SupervisedRecipe,
        start: RelationModel,
        selection: Selection,
        folder: Path,
        clean: Decontaminated,
        dev: Selection | None = None,
    ) -> None:
        super().__init__(recipe, selection, folder, clean, (start.encoder, start.tokenizer), start)
        _check_labels(self.rows.names, recipe.no_relation)
        trained, self.dev = hold_out(self.rows, 0 if dev is not None else recipe.hold_out, seed=recipe.seed)
        if dev is not None:
            self.dev = dev_set(
                dev, self.selection, self.tokenizer, max_length=recipe.max_length, labels=self.rows.names
            )
        self.batches = ShuffledBatches(trained, recipe.batch_size, recipe.seed)
        self.steps = recipe.epochs * self.batches.steps_per_epoch
        self.classifier = Classifier(
            RelationVocabulary(self.rows.names),
            self.encoder.width,
            hidden=recipe.hidden,
            dropout=recipe.dropout,
            no_relation=recipe.no_relation,
            seed=step_seed(recipe.seed, 0),
        ).to(self.device)
        weights = {"encoder": self.module, "classifier": self.classifier}
        self.best = BestEpoch(weights)
        self.state = TrainingRun(
            folder,
            weights,
            Optimiser(self.module, self.classifier, recipe, steps=self.steps),
            {"best": self.best},
            settings=self.settings(dev=dev.fingerprint if dev is not None else None),
        )

    def train(self, watch: Watcher | None) -> None:
        """Take the remaining steps, and score every epoch on the dev set."""
        step = SupervisedStep(self.recipe, self.encoder, self.classifier, self.rows, self.batches, self.device)
        self.state.fit(step, self.recipe, steps=self.steps, watch=watch, after_step=self._score)

    def _score(self, done: int) -> Mapping[str, float]:
        epoch, more = divmod(done, self.batches.steps_per_epoch)
        if more:
            return {}
        if self.dev is None:
            return {"epoch": epoch}
        answers = self._answers(self.dev.rows, self.dev.indices.tolist())
        score = dev_score(self.dev.gold, answers, metric=self.recipe.metric, no_relation=self.recipe.no_relation)
        self.best.add(score)
        return {"epoch": epoch, "dev": score}

    @torch.no_grad()
    def _answers(self, rows: TokenRows, indices: list[int]) -> list[str]:
        order = np.argsort(rows.lengths[indices], kind="stable").tolist()
        answers = [""] * len(indices)
        self.module.eval()
        for start in range(0, len(order), _AT_ONCE):
            places = order[start : start + _AT_ONCE]
            batch = rows.batch([indices[place] for place in places]).to(self.device)
            found = self.classifier.answers(encode_in_chunks(self.encoder, batch, chunks=1).vectors)
            for place, answer in zip(places, found, strict=True):
                answers[place] = answer
        self.module.train()
        return answers

    def trained_rows(self) -> NDArray[np.int64]:
        """Return the rows that are not held out."""
        return np.sort(self.batches.rows)

    def finish(self) -> RelationModel:
        """Load the weights of the best epoch, and write the model and the record of the run."""
        self.best.use()
        self.module.to("cpu").eval()
        self.classifier.to("cpu").eval()
        prototypes = Prototypes.of(self.classifier.labels, self.class_means(among=self.batches.rows))
        model = RelationModel(
            self.encoder, self.tokenizer, prototypes, self.recipe.max_length, self.folder.name, self.classifier
        )
        labels = Counter(self.rows.relations[self.batches.rows].tolist())
        best = self.best.epoch
        return self.save(
            model,
            data={
                **data_record(self.rows, fingerprint=self.selection.fingerprint),
                "trained_on": len(self.batches.rows),
                "labels": {name: labels[index] for index, name in enumerate(self.rows.names)},
            },
            dev=self.dev.as_json() if self.dev is not None else None,
            results={
                "steps": self.steps,
                "epochs": self.recipe.epochs,
                "dev_scores": self.best.scores,
                "best_epoch": best,
                "best_score": self.best.scores[best - 1] if best is not None else None,
            },
        )


def _check_labels(labels: tuple[str, ...], no_relation: str | None) -> None:
    if no_relation is not None and no_relation not in labels:
        near = get_close_matches(no_relation, labels, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else "Name one of them, or set no_relation=null"
        raise BadInput(f"no_relation: expected one of the data's {len(labels)} labels, got {no_relation!r}. {hint}")
