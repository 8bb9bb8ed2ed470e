"""Supervised tuning: an encoder and a classifier learn labels together, and the best epoch is kept."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import torch

from protorel.batches import ShuffledBatches, TokenRows
from protorel.encoders import encode_in_chunks
from protorel.geometry import Prototypes
from protorel.model import Classifier, RelationModel
from protorel.recipes import SupervisedRecipe
from protorel.statements import BadInput, RelationVocabulary, Selection
from protorel.training.apart import Apart
from protorel.training.best import BestEpoch
from protorel.training.dev_score import dev_score
from protorel.training.held_out import dev_set, hold_out
from protorel.training.journal import read_journal
from protorel.training.labelled_data import class_means, data_record, tokenised
from protorel.training.loop import Watcher, step_seed
from protorel.training.optimiser import Optimiser
from protorel.training.precision import PrecisionChoice
from protorel.training.run import TrainingRun, trainable, training_device
from protorel.training.supervised_step import SupervisedStep

_MEAN_OF = 100
"""A prototype is the mean of this many statements."""
_AT_ONCE = 64
"""How many dev statements are encoded together."""


class Supervised:
    """One supervised run: its parts, and what is left at the end."""

    def __init__(
        self,
        recipe: SupervisedRecipe,
        start: RelationModel,
        selection: Selection,
        folder: Path,
        apart: Apart,
        dev: Selection | None = None,
    ) -> None:
        self.recipe, self.folder, self.apart = recipe, folder, apart
        self.precision: PrecisionChoice | None = None
        """Why the recipe's precision was chosen, where somebody chose."""
        self.encoder, self.tokenizer = start.encoder, start.tokenizer
        self.started_from = {"name": start.name, "fingerprint": start.fingerprint}
        self.selection, self.rows = tokenised(selection, self.tokenizer, recipe)
        _check_labels(self.rows.names, recipe.no_relation)
        trained, self.dev = hold_out(self.rows, 0 if dev is not None else recipe.hold_out, seed=recipe.seed)
        if dev is not None:
            self.dev = dev_set(
                dev, self.selection, self.tokenizer, max_length=recipe.max_length, labels=self.rows.names
            )
        self.batches = ShuffledBatches(trained, recipe.batch_size, recipe.seed)
        self.steps = recipe.epochs * self.batches.steps_per_epoch
        self.device = training_device()
        self.module = trainable(self.encoder, recipe.precision)
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
            settings={
                "recipe": recipe.model_dump(mode="json", exclude={"checkpoint_every", "name"}),
                "model": self.started_from["fingerprint"],
                "data": self.selection.fingerprint,
                "dev": dev.fingerprint if dev is not None else None,
                "apart_from": apart.fingerprints,
                "tokenizer": self.tokenizer.fingerprint,
            },
        )

    def train(self, watch: Watcher | None) -> None:
        """Take all steps that are not done yet, and judge every epoch at its end."""
        step = SupervisedStep(self.recipe, self.encoder, self.classifier, self.rows, self.batches, self.device)
        self.state.fit(step, self.recipe, steps=self.steps, watch=watch, after_step=self._judge)

    def _judge(self, done: int) -> Mapping[str, float]:
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

    def finish(self) -> RelationModel:
        """Go back to the best epoch, and write the model and the record of the run."""
        self.best.use()
        self.module.to("cpu").eval()
        self.classifier.to("cpu").eval()
        means = class_means(
            self.encoder, self.tokenizer, self.rows, of=_MEAN_OF, centred=False, among=self.batches.rows
        )
        prototypes = Prototypes.of(self.classifier.labels, means)
        model = RelationModel(
            self.encoder, self.tokenizer, prototypes, self.recipe.max_length, self.folder.name, self.classifier
        )
        model.save_pretrained(self.folder, record=self._record())
        return model

    def _record(self) -> dict[str, Any]:
        lines = list(read_journal(self.folder))
        labels = Counter(self.rows.relations[self.batches.rows].tolist())
        best = self.best.epoch
        return {
            "recipe": self.recipe.model_dump(mode="json"),
            "precision": self.precision.as_json() if self.precision is not None else None,
            "started_from": self.started_from,
            "data": {
                **data_record(self.rows, fingerprint=self.selection.fingerprint),
                "trained_on": len(self.batches.rows),
                "labels": {name: labels[index] for index, name in enumerate(self.rows.names)},
            },
            "dev": self.dev.as_json() if self.dev is not None else None,
            "leakage": self.apart.as_json(),
            "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "seconds": self.state.clock.seconds,
            "results": {
                "steps": self.steps,
                "epochs": self.recipe.epochs,
                "last_terms": lines[-1].get("terms", {}) if lines else {},
                "dev_scores": self.best.scores,
                "best_epoch": best,
                "best_score": self.best.scores[best - 1] if best is not None else None,
            },
        }


def _check_labels(labels: tuple[str, ...], no_relation: str | None) -> None:
    if no_relation is not None and no_relation not in labels:
        near = get_close_matches(no_relation, labels, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "name one of them, or set no_relation=null"
        raise BadInput(f"no_relation={no_relation!r} is none of the data's {len(labels)} labels; {hint}")
