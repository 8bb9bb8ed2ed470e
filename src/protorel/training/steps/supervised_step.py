"""One step of supervised tuning: a batch of all the data, one pass of the encoder, cross-entropy."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import ShuffledBatches, TrainingRows
from protorel.encoders import RelationEncoder, encode_in_chunks
from protorel.model import Classifier
from protorel.recipes import SupervisedRecipe
from protorel.training.loop import StepResult


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
