"""One step of few-shot tuning: a few episodes, one pass of the encoder, one loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import Episodes, StatementBatch, TrainingRows, draw_episodes
from protorel.encoders import EncodedBatch, RelationEncoder, encode_in_chunks, encode_pairs
from protorel.fewshot import EpisodeMethod, Scored, TokenStates, described_ways, vector_method
from protorel.objectives import episode_loss
from protorel.recipes import EpisodeRecipe
from protorel.training.data.small_data import fit_episodes
from protorel.training.loop import StepResult, step_seed
from protorel.training.steps.relation_texts import TextsOfRelations


class EpisodeStep:
    """The step function of few-shot tuning: a function of the recipe's seed and the step's number."""

    def __init__(
        self,
        recipe: EpisodeRecipe,
        encoder: RelationEncoder,
        rows: TrainingRows,
        device: torch.device,
        texts: TextsOfRelations | None = None,
        learned: EpisodeMethod | None = None,
    ) -> None:
        self.recipe, self.encoder, self.rows, self.device, self.texts = recipe, encoder, rows, device, texts
        self.learned = learned
        self.rows_of_relation = rows.rows_of_relation()
        self.method = vector_method(recipe.combine, recipe.similarity)
        self.pairs = rows.pairs.astype(np.int64) if recipe.apart_pairs else None
        self.episodes = fit_episodes(recipe.episodes, [len(own) for own in self.rows_of_relation], rows.names)
        for setting, (way, shot) in enumerate(self.episodes):
            self._draw(setting, count=1)  # data too small for a setting fail before the first step
            if learned is not None:
                learned.check(way, shot)

    def __call__(self, step: int) -> StepResult:
        """Compute the loss of step number `step`."""
        drawn = self._draw(step, count=self.recipe.episodes_per_step)
        if self.learned is not None:
            loss, terms = self._learned_loss(self.learned, drawn)
        else:
            terms = self._terms(drawn, *self._encoded(drawn).vectors())
            weights = self.recipe.objective
            loss = torch.stack([getattr(weights, name).weight * term for name, term in terms.items()]).sum()
        rows = drawn.rows()
        return StepResult(loss, terms, len(rows), lambda: self.rows.ids(rows.tolist()))

    def _learned_loss(self, method: EpisodeMethod, drawn: Episodes) -> tuple[Float[Tensor, ""], dict[str, Tensor]]:
        """Return the loss of a method with weights, and its terms."""
        scored: Scored = method(*self._given(method, drawn))
        answered = episode_loss(scored.scores, self._also(drawn, drawn.query))
        weight = self.recipe.objective.examples.weight
        loss = torch.stack([weight * answered, *scored.costs.values()]).sum()
        return loss, {"examples": answered, **scored.costs}

    def _given(self, method: EpisodeMethod, drawn: Episodes) -> tuple[Tensor | TokenStates, ...]:
        """Encode episodes in the form that a method reads."""
        if method.needs == "pairs":
            return (encode_pairs(self.encoder, self.rows.rows, drawn, chunks=self.recipe.chunks, device=self.device),)
        if method.needs == "states":
            return self._encoded(drawn, states=True).states()
        return self._encoded(drawn).vectors()

    def _encoded(self, drawn: Episodes, *, states: bool = False) -> EncodedEpisodes:
        return encode_episodes(
            self.encoder, self.rows, drawn, states=states, chunks=self.recipe.chunks, device=self.device
        )

    def _terms(
        self,
        drawn: Episodes,
        support: Float[Tensor, "episodes way shot width"],
        query: Float[Tensor, "episodes way width"],
    ) -> dict[str, Tensor]:
        weights, scale = self.recipe.objective, self.recipe.scale
        also = self._also(drawn, drawn.query)
        terms = {}
        if weights.examples.weight:
            terms["examples"] = episode_loss(scale * self.method(support, query), also)
        if self.texts is not None:
            texts = self._texts(drawn)
            if weights.text.weight:
                # Examples first, shot by shot, so that column n belongs to class n modulo the number of classes.
                asked = torch.cat([support.transpose(1, 2).flatten(1, 2), query], dim=1)
                rows = np.concatenate([drawn.support.transpose(0, 2, 1).reshape(len(drawn), -1), drawn.query], axis=1)
                scores = self.method(texts[:, :, None], asked)
                terms["text"] = episode_loss(scale * scores, self._also(drawn, rows))
            if weights.both.weight:
                ways = described_ways(support, texts)
                terms["both"] = episode_loss(scale * self.method(ways, query), also)
        return terms

    def _draw(self, step: int, *, count: int) -> Episodes:
        way, shot = self.episodes[step % len(self.episodes)]
        return draw_episodes(
            self.rows_of_relation,
            way=way,
            shot=shot,
            count=count,
            seed=step_seed(self.recipe.seed, step),
            groups=self.pairs,
            names=self.rows.names,
        )

    def _also(self, drawn: Episodes, rows: NDArray[np.int64]) -> Bool[Tensor, "episodes query way"]:
        """Tell which classes of the episode are labels of each row."""
        labels = torch.stack([self.rows.labels(episode.tolist()) for episode in rows])
        ways = torch.from_numpy(drawn.relations)[:, None].expand(-1, labels.shape[1], -1)
        return labels.gather(2, ways).to(self.device)

    def _texts(self, drawn: Episodes) -> Float[Tensor, "episodes way width"]:
        """Encode the texts of the classes of all episodes, each relation once."""
        assert self.texts is not None
        ways = torch.from_numpy(drawn.relations)
        found = self.texts.encode_all(self.encoder, ways.flatten(), chunks=self.recipe.chunks, device=self.device)
        return found.reshape(*ways.shape, -1)


@dataclass(frozen=True, slots=True)
class EncodedEpisodes:
    """The statements of episodes, each encoded once, and the place of each example and query among them."""

    rows: NDArray[np.int64]
    """The statements, each once."""
    batch: StatementBatch
    encoded: EncodedBatch
    support: Int[Tensor, "episodes way shot"]
    query: Int[Tensor, "episodes way"]

    def vectors(self) -> tuple[Float[Tensor, "episodes way shot width"], Float[Tensor, "episodes way width"]]:
        """Return examples and queries as vectors."""
        return self.encoded.vectors[self.support], self.encoded.vectors[self.query]

    def states(self) -> tuple[TokenStates, TokenStates]:
        """Return examples and queries as token states, padded to one length."""
        padded = padded_states(self.batch, self.encoded)
        return padded.take(self.support), padded.take(self.query)


def encode_episodes(
    encoder: RelationEncoder,
    rows: TrainingRows,
    drawn: Episodes,
    *,
    states: bool,
    chunks: int,
    device: torch.device,
) -> EncodedEpisodes:
    """Encode all statements of the episodes in one pass; `states` keeps the states of all tokens."""
    chosen = np.concatenate([drawn.support.ravel(), drawn.query.ravel()])
    unique, back = np.unique(chosen, return_inverse=True)
    batch = rows.rows.batch(unique.tolist()).to(device)
    encoded = encode_in_chunks(encoder, batch, chunks=chunks, keep=batch.present if states else None)
    places = torch.from_numpy(back).to(device)
    support = places[: drawn.support.size].reshape(drawn.support.shape)
    query = places[drawn.support.size :].reshape(drawn.query.shape)
    return EncodedEpisodes(unique, batch, encoded, support, query)


def padded_states(batch: StatementBatch, encoded: EncodedBatch) -> TokenStates:
    """Return the states of each statement as rows of one tensor, with 0 for padding."""
    assert encoded.states is not None
    assert encoded.rows is not None
    assert encoded.positions is not None
    padded = encoded.states.new_zeros(*batch.present.shape, encoded.states.shape[-1])
    padded = padded.index_put((encoded.rows, encoded.positions), encoded.states)
    return TokenStates(padded, batch.present, batch.head, batch.tail)
