"""Tuning for text: an encoder and its prototypes learn which relations hold between two entities, several or none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor

from protorel.batches import training_rows
from protorel.encoders import TransformerEncoder
from protorel.geometry import Prototypes
from protorel.model import Calibration, RelationModel, fingerprint_of
from protorel.recipes import ExtractionRecipe
from protorel.statements import BadInput, Descriptions, Equivalents, Selection
from protorel.training.base import Training
from protorel.training.data.decontamination import Decontaminated
from protorel.training.data.extraction_pairs import LabelledPairs
from protorel.training.data.labelled_data import class_means, data_record
from protorel.training.journal import read_journal
from protorel.training.loop import Watcher
from protorel.training.optimiser import Optimiser
from protorel.training.run import TrainingRun
from protorel.training.steps.extraction_score import ExtractionDev, best_threshold
from protorel.training.steps.extraction_step import ExtractionStep, PrototypeSigmoids, shares_of
from protorel.training.steps.relation_texts import TextsOfRelations
from protorel.training.tuning.best_epoch import BestEpoch, count_shared

_START_OF = 20
"""Statements per mean, where class means are the initial prototypes."""
_BIAS_OF = 256
"""Statements whose mean cosine the initial biases are set by."""
_MEASURED_ON = 50
"""Statements per relation that radius and threshold of its prototype are measured on."""


class ExtractionTuning(Training[ExtractionRecipe]):
    """One run of tuning for text: its parts, its training and its result."""

    def __init__(
        self,
        recipe: ExtractionRecipe,
        start: RelationModel,
        selection: Selection,
        folder: Path,
        clean: Decontaminated,
        equivalents: Equivalents,
        dev: Selection | None = None,
        descriptions: Descriptions | None = None,
    ) -> None:
        super().__init__(recipe, selection, folder, clean, (start.encoder, start.tokenizer), start)
        self.start = start
        if isinstance(self.encoder, TransformerEncoder):
            self.encoder.trains_padding_free = recipe.padding_free
        self.pairs = LabelledPairs(self.rows, self.selection.source, recipe, equivalents)
        self.dev = self._dev_pairs(dev, equivalents) if dev is not None else None
        self.phrase = start.phrase if recipe.phrase is None else recipe.phrase
        self.texts, self.descriptions = None, descriptions
        if descriptions is not None:
            described = descriptions.phrased(self.phrase)
            self.texts = TextsOfRelations(described, self.pairs.names, self.tokenizer, max_length=recipe.max_length)
        self.batches = self.pairs.batches()
        self.steps = recipe.epochs * self.batches.steps_per_epoch
        self.head = PrototypeSigmoids(recipe, relations=len(self.pairs.names), width=self.encoder.width)
        self.head.to(self.device)
        weights = {"encoder": self.module, "head": self.head}
        self.best = BestEpoch(weights)
        self.state = TrainingRun(
            folder,
            weights,
            Optimiser(self.module, self.head, recipe, steps=self.steps),
            {"best": self.best},
            settings=self.settings(
                dev=dev.fingerprint if dev is not None else None,
                descriptions=descriptions.fingerprint if descriptions is not None else None,
            ),
        )

    def _dev_pairs(self, dev: Selection, equivalents: Equivalents) -> ExtractionDev:
        if not dev.counts:
            raise BadInput("--dev: expected labelled pairs, got none")
        rows = training_rows(
            dev.source, self.tokenizer, max_length=self.recipe.max_length, data_fingerprint=dev.fingerprint
        )
        if len(rows) == 0:
            raise BadInput(f"--dev: none of the pairs can be used; the first: {rows.rejected[0]['reason']}")
        shared = count_shared(dev, self.selection)
        return ExtractionDev.of(rows, self.pairs.names, equivalents, fingerprint=dev.fingerprint, shared=shared)

    def train(self, watch: Watcher | None) -> None:
        """Take the remaining steps, and score every epoch on the dev pairs."""
        if self.state.done == 0:
            self._start()
        step = ExtractionStep(self.recipe, self.encoder, self.head, self.pairs, self.batches, self.device, self.texts)
        self.state.fit(step, self.recipe, steps=self.steps, watch=watch, after_step=self._score)

    def _start(self) -> None:
        """Start prototypes where the model has them, others at class means, and biases at the relations' shares."""
        known, names = self.start.prototypes, self.pairs.names
        missing = [name for name in names if name not in known.relations]
        directions = torch.zeros(len(names), self.encoder.width)
        if missing:
            self.module.to("cpu")
            columns = [self.rows.names.index(name) for name in missing]
            among = np.flatnonzero(np.isin(self.rows.relations, columns))
            # The vectors of an encoder that knows no relation all point in nearly the same direction.
            means = class_means(
                self.encoder, self.tokenizer, self.rows, of=_START_OF, centred=not len(known.relations), among=among
            )
            directions[[names.index(name) for name in missing]] = means[columns]
            self.module.to(self.device)
        for place, name in enumerate(names):
            if name in known.relations:
                directions[place] = known.vectors[known.relations.index(name)]
        self.head.start_prototypes(directions.to(self.device))
        if self.recipe.bias is None:
            rows = [number % len(self.rows) for number in self.batches.batch(0)]
            for step in range(1, -(-_BIAS_OF // self.recipe.batch_size)):
                rows += [number % len(self.rows) for number in self.batches.batch(step)]
            vectors = self._bare().encode_rows(self.rows.rows, indices=rows[:_BIAS_OF])
            shares = shares_of([self.pairs.counts[column] for column in self.pairs.columns.tolist()], len(self.rows))
            self.head.start_biases(vectors.to(self.device), shares.to(self.device))

    def _bare(self) -> RelationModel:
        return RelationModel(self.encoder, self.tokenizer, Prototypes.none(self.encoder.width), max_length=0)

    def _score(self, done: int) -> Mapping[str, float]:
        epoch, more = divmod(done, self.batches.steps_per_epoch)
        if more:
            return {}
        if self.dev is None:
            return {"epoch": epoch}
        vectors = self._bare().encode_rows(self.dev.rows.rows, indices=self.dev.pairs.tolist(), batch_size=64)
        with torch.no_grad():
            logits = self.head(vectors.to(self.device)).cpu()
        found = best_threshold(logits[:, self.dev.columns].numpy(), self.dev.held, gold=self.dev.gold)
        self.best.add(found.f1)
        return {"epoch": epoch, "dev": found.f1, "precision": found.precision, "recall": found.recall,
                "threshold": found.probability}  # fmt: skip

    def finish(self) -> RelationModel:
        """Load the weights of the best epoch, and write the model, with its prototypes, and the record of the run."""
        self.best.use()
        self.module.to("cpu").eval()
        self.head.to("cpu").eval()
        prototypes = self._prototypes()
        sigmoids = Calibration(
            prototypes.relations.ids,
            fingerprint_of(prototypes.vectors.numpy()),
            slope=np.full(len(prototypes.relations), self.head.scale.item()),
            offset=self.head.bias.detach().double().numpy(),
            positives=np.zeros(len(prototypes.relations), dtype=np.int64),
        )
        model = RelationModel(
            self.encoder,
            self.tokenizer,
            prototypes,
            self.recipe.max_length,
            self.folder.name,
            phrase=self.phrase,
            calibration=sigmoids,
        )
        best = self.best.epoch
        scored = [line for line in read_journal(self.folder) if "dev" in line]
        return self.save(
            model,
            data={
                **data_record(self.rows, fingerprint=self.selection.fingerprint),
                "relations": len(self.pairs.names),
                "pairs": self.pairs.as_json(),
                "per_epoch": self.batches.rows_per_epoch,
            },
            dev=self.dev.as_json() if self.dev is not None else None,
            descriptions=self.texts.as_json() if self.texts is not None else None,
            results={
                "steps": self.steps,
                "epochs": self.recipe.epochs,
                "dev_scores": self.best.scores,
                "best_epoch": best,
                "best_score": self.best.scores[best - 1] if best is not None else None,
                "best_threshold": scored[best - 1].get("threshold") if best is not None and scored else None,
                "sigmoids": self._sigmoids(),
            },
        )

    def _prototypes(self) -> Prototypes:
        """Return the learned prototypes, with radius and threshold of some of their statements."""
        relations = self.start.relations.described(self.pairs.names)
        if self.descriptions is not None:
            relations = self.descriptions.vocabulary(self.pairs.names)
        prototypes = Prototypes.of(relations, self.head.prototypes)
        of_relation = self.rows.rows_of_relation()
        chosen = [of_relation[column][:_MEASURED_ON] for column in self.pairs.columns.tolist()]
        owners = torch.from_numpy(np.repeat(np.arange(len(chosen)), [len(rows) for rows in chosen]))
        vectors = self._bare().encode_rows(self.rows.rows, indices=np.concatenate(chosen).tolist())
        return prototypes.measured(_own_cosines(vectors, prototypes.vectors[owners]), owners)

    def _sigmoids(self) -> dict[str, Any]:
        """Return scale and biases that turn cosines into the logits that were trained."""
        texts = self.head.to_texts
        return {
            "scale": self.head.scale.item(),
            "biases": dict(zip(self.pairs.names, self.head.bias.tolist(), strict=True)),
            "text_scale": texts.scale.item() if texts is not None else None,
            "text_bias": texts.bias.item() if texts is not None and texts.bias is not None else None,
        }


def _own_cosines(
    vectors: Float[Tensor, "statements width"], prototypes: Float[Tensor, "statements width"]
) -> Float[Tensor, " statements"]:
    return (F.normalize(vectors, dim=-1) * prototypes).sum(-1)
