"""One step of a training for text: pairs with several labels or none, one sigmoid per relation, one loss."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int
from torch import Tensor, nn

from protorel.batches import PooledBatches
from protorel.encoders import RelationEncoder, encode_in_chunks
from protorel.geometry import LearnedCosine, cosine
from protorel.objectives import several_labels
from protorel.recipes import ExtractionRecipe
from protorel.training.data.extraction_pairs import LabelledPairs
from protorel.training.loop import StepResult
from protorel.training.steps.relation_texts import TextsOfRelations


class PrototypeSigmoids(nn.Module):
    """Equation 2 with a bias per relation: d(z_r, s) = σ(scale · cos(z_r, s) + bias_r), all of it learned.

    Relations are of different frequency, and their statements lie more or less close to the prototype; a single bias
    would favour some of them.
    """

    def __init__(self, recipe: ExtractionRecipe, *, relations: int, width: int) -> None:
        super().__init__()
        self.prototypes = nn.Parameter(torch.zeros(relations, width))
        self.bias = nn.Parameter(torch.full((relations,), recipe.bias or 0.0))
        self.similarity = LearnedCosine(recipe.scale)
        text = recipe.objective.text
        self.to_texts = LearnedCosine(text.scale, text.bias) if text.weight else None

    @property
    def scale(self) -> Float[Tensor, ""]:
        """The scale now."""
        return self.similarity.scale

    def forward(self, vectors: Float[Tensor, "batch width"]) -> Float[Tensor, "batch relations"]:
        """Return the logit of d for each statement and relation."""
        logits: Tensor = self.similarity(vectors, self.prototypes)
        return logits + self.bias

    @torch.no_grad()
    def start_prototypes(self, directions: Float[Tensor, "relations width"]) -> None:
        """Point the prototypes in the given directions."""
        self.prototypes.copy_(F.normalize(directions, dim=-1))

    @torch.no_grad()
    def start_biases(self, vectors: Float[Tensor, "statements width"], shares: Float[Tensor, " relations"]) -> None:
        """Set each bias such that an average statement is believed to hold the relation as often as statements do."""
        average = cosine(vectors, self.prototypes).mean(0)
        self.bias.copy_(torch.logit(shares) - self.scale * average)


class ExtractionStep:
    """The step function of a training for text: a function of the recipe's seed and the step's number."""

    def __init__(
        self,
        recipe: ExtractionRecipe,
        encoder: RelationEncoder,
        head: PrototypeSigmoids,
        pairs: LabelledPairs,
        batches: PooledBatches,
        device: torch.device,
        texts: TextsOfRelations | None = None,
    ) -> None:
        self.recipe, self.encoder, self.head, self.pairs = recipe, encoder, head, pairs
        self.batches, self.device, self.texts = batches, device, texts

    def __call__(self, step: int) -> StepResult:
        """Compute the loss of step number `step`."""
        recipe = self.recipe
        chosen = self.batches.batch(step)
        vectors = self._encode(chosen)
        labels, weights = self.pairs.labels(chosen).to(self.device), self.pairs.weights(chosen).to(self.device)
        loss = several_labels(self.head(vectors), labels, weights, focus=recipe.focus, smoothing=recipe.label_smoothing)
        terms = {"prototypes": loss}
        if self.texts is not None and self.head.to_texts is not None:
            asked = self._relations_to_read(labels, step)
            read = self.texts.read(
                self.encoder,
                asked,
                count=recipe.objective.text.wordings_per_step,
                rng=np.random.default_rng([recipe.seed, 8, step]),
                chunks=recipe.chunks,
                device=self.device,
            )
            if read is not None:
                logits = self.head.to_texts(vectors, read.vectors)
                at = read.relations
                terms["text"] = several_labels(
                    logits, labels[:, at], weights[:, at], focus=recipe.focus, smoothing=recipe.label_smoothing
                )
                loss = loss + recipe.objective.text.weight * terms["text"]
        return StepResult(loss, terms, len(chosen), lambda: self.pairs.ids(chosen))

    def _encode(self, chosen: list[int]) -> Float[Tensor, "batch width"]:
        batch = self.pairs.tokens(chosen).to(self.device)
        return encode_in_chunks(self.encoder, batch, chunks=self.recipe.chunks).vectors

    def _relations_to_read(self, labels: Tensor, step: int) -> Int[Tensor, " asked"]:
        """Return the relations of the batch, and others at random, up to the recipe's number."""
        held = labels.any(0).nonzero()[:, 0].cpu()
        rng = np.random.default_rng([self.recipe.seed, 7, step])
        order = torch.from_numpy(rng.permutation(labels.shape[1]))
        order = torch.cat([held, order[~torch.isin(order, held)]])
        return order[: max(len(held), self.recipe.objective.text.relations_per_step)]


def shares_of(counts: list[int], total: int) -> Float[Tensor, " relations"]:
    """Return the share of each relation among the pairs, never 0 or 1."""
    return torch.tensor([(count + 1) / (total + 2) for count in counts])
