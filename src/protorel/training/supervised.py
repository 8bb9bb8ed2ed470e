"""Supervised tuning: an encoder and a classifier are trained together, and the best epoch is kept."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import ShuffledBatches, TokenRows, TrainingRows
from protorel.encoders import RelationEncoder, encode_in_chunks
from protorel.geometry import Prototypes
from protorel.model import Classifier, RelationModel, load_record
from protorel.recipes import SupervisedRecipe
from protorel.statements import BadInput, RelationVocabulary, Selection
from protorel.training.best_epoch import BestEpoch, dev_score, dev_set, hold_out
from protorel.training.decontamination import Decontaminated
from protorel.training.journal import read_journal
from protorel.training.labelled_data import class_means, data_record, tokenised
from protorel.training.loop import StepResult, Watcher, step_seed
from protorel.training.optimiser import Optimiser
from protorel.training.precision import PrecisionChoice
from protorel.training.run import TrainingRun, trainable, training_device

_MEAN_OF = 100
"""Statements per mean: class means serve as prototypes."""
_AT_ONCE = 64
"""Dev statements per encoded batch."""


class SupervisedStep:
    """The paper's algorithm 1 as a loss: -log p(label | statement), averaged over the batch."""

    def __init__(
        self,
        recipe: SupervisedRecipe,
        encoder: RelationEncoder,
        classifier: Classifier,
        rows: TrainingRows,
        batches: ShuffledBatches,
        device: torch.device,
    ) -> None:
        self.recipe, self.encoder, self.classifier = recipe, encoder, classifier
        self.rows, self.batches, self.device = rows, batches, device
        balanced = recipe.class_weights == "balanced"
        labels = rows.relations[batches.rows]
        self.weights = balanced_weights(labels, len(rows.names)).to(device) if balanced else None

    def __call__(self, step: int) -> StepResult:
        """Compute the loss of step number `step`."""
        chosen = self.batches.batch(step)
        batch = self.rows.rows.batch(chosen).to(self.device)
        vectors = encode_in_chunks(self.encoder, batch, chunks=self.recipe.chunks).vectors
        labels = torch.from_numpy(self.rows.relations[chosen].astype(np.int64)).to(self.device)
        loss = F.cross_entropy(
            self.classifier(vectors), labels, weight=self.weights, label_smoothing=self.recipe.label_smoothing
        )
        return StepResult(loss, {"ce": loss}, len(chosen), lambda: self.rows.ids(chosen))


def balanced_weights(labels: NDArray[np.int32], count: int) -> Float[Tensor, " labels"]:
    """Return the weight of one statement of each label, such that all labels have the same total weight."""
    counts = np.bincount(labels, minlength=count)
    return torch.from_numpy(len(labels) / (count * np.maximum(counts, 1))).float()


class Supervised:
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
        self.recipe, self.folder, self.clean = recipe, folder, clean
        self.precision: PrecisionChoice | None = None
        """Why the recipe's precision was chosen."""
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
                "apart_from": clean.fingerprints,
                "tokenizer": self.tokenizer.fingerprint,
            },
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

    def finish(self) -> RelationModel:
        """Load the weights of the best epoch, and write the model and the record of the run."""
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
        return replace(model, record=load_record(self.folder))

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
            "leakage": self.clean.as_json(),
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
        hint = f"Did you mean {near[0]!r}?" if near else "Name one of them, or set no_relation=null"
        raise BadInput(f"no_relation: expected one of the data's {len(labels)} labels, got {no_relation!r}. {hint}")
