"""SetFit: the encoder is tuned in each episode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from protorel.batches import TokenRows
from protorel.encoders import RelationEncoder, encode_in_chunks
from protorel.fewshot.linear_probe import logistic_scores

_CHUNKS = 2
"""Batches, of similar lengths, in which the statements of a step are encoded."""


class EncoderMethod(Protocol):
    """A method that tunes the encoder itself in each episode."""

    @property
    def settings(self) -> Any:
        """How the encoder is tuned: a dataclass, which results record."""
        ...

    def tune(self, encoder: RelationEncoder, rows: TokenRows, support: NDArray[np.int64], *, seed: int) -> None:
        """Tune the encoder, in place, on the examples of one episode."""
        ...

    def score(
        self, support: Float[Tensor, "way shot width"], query: Float[Tensor, "query width"]
    ) -> Float[Tensor, "query way"]:
        """Score queries by the vectors of the tuned encoder."""
        ...


@dataclass(frozen=True, slots=True)
class SetFitSettings:
    """How the encoder is tuned in an episode."""

    pairs: int = 64
    """Pairs per episode; the authors draw 40 per example."""
    batch_size: int = 16
    """Pairs per step."""
    learning_rate: float = 3e-4
    """Highest learning rate: it rises in the first tenth of the steps and then falls to 0."""
    warmup: float = 0.1
    weight_decay: float = 0.01


@dataclass(frozen=True, slots=True)
class SetFit:
    """Contrastive tuning of the encoder on an episode's examples, then logistic regression.

    Tunstall et al. 2022, "Efficient few-shot learning without prompts". The encoder minimises the mean over pairs
    (i, j) of (cos(x_i, x_j) - [y_i = y_j])²; then a linear probe on its vectors answers the queries. Every example is
    paired with one of its own class (possibly itself, seen through another dropout mask) and with one of another class.
    The authors draw 20 rounds of pairs at a rate of 2e-5; here each episode has the same number of pairs whatever its
    size, so that its cost is bounded, and a higher rate.
    """

    settings: SetFitSettings = SetFitSettings()

    def tune(self, encoder: RelationEncoder, rows: TokenRows, support: NDArray[np.int64], *, seed: int) -> None:
        """Tune the encoder on the examples of one episode, see `tune_on_examples`."""
        tune_on_examples(encoder, rows, support, self.settings, seed=seed)

    def score(
        self, support: Float[Tensor, "way shot width"], query: Float[Tensor, "query width"]
    ) -> Float[Tensor, "query way"]:
        """Score queries by a logistic regression on the examples."""
        return logistic_scores(support, query)


SETFIT = SetFit()


class Pairs(NamedTuple):
    """Pairs of examples, numbered class by class, and whether both are of one class."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    alike: NDArray[np.bool_]


def draw_pairs(way: int, shot: int, *, count: int, random: np.random.Generator) -> Pairs:
    """Draw pairs in shuffled rounds: every example with one of its class, and with one of another class."""
    examples, others = np.arange(way * shot), (way - 1) * shot
    rounds = []
    for _ in range(-(-count // (2 * len(examples)))):
        own = examples // shot * shot + random.integers(shot, size=len(examples))
        # Counted from the end of its own class and wrapping around, the next `others` are those of other classes.
        other = (examples // shot * shot + shot + random.integers(others, size=len(examples))) % len(examples)
        both = np.stack([np.tile(examples, 2), np.concatenate([own, other])])
        rounds.append(random.permutation(both, axis=1))
    first, second = np.concatenate(rounds, axis=1)[:, :count]
    return Pairs(first, second, first // shot == second // shot)


def pair_loss(
    first: Float[Tensor, "pairs width"], second: Float[Tensor, "pairs width"], alike: Float[Tensor, " pairs"]
) -> Float[Tensor, ""]:
    """Return the mean squared error of the cosine, whose target is 1 for pairs of one class, else 0."""
    return (F.cosine_similarity(first, second) - alike).square().mean()


def tune_on_examples(
    encoder: RelationEncoder, rows: TokenRows, support: NDArray[np.int64], settings: SetFitSettings, *, seed: int
) -> None:
    """Tune an encoder, in place, on the examples of one episode; `support` has their indices in `rows`, [way shot].

    The same seed gives the same weights. The caller's random state is unchanged.
    """
    assert isinstance(encoder, nn.Module)
    way, shot = support.shape
    pairs = draw_pairs(way, shot, count=settings.pairs, random=np.random.default_rng(seed))
    steps = -(-settings.pairs // settings.batch_size)
    tuned = [parameter for parameter in encoder.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(tuned, weight_decay=settings.weight_decay, fused=True)
    encoder.train()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for step in range(steps):
            for group in optimiser.param_groups:
                group["lr"] = settings.learning_rate * _share_of_rate(step, steps, settings.warmup)
            part = slice(step * settings.batch_size, (step + 1) * settings.batch_size)
            first = _view(encoder, rows, support.ravel(), pairs.first[part])
            second = _view(encoder, rows, support.ravel(), pairs.second[part])
            loss = pair_loss(first, second, torch.from_numpy(pairs.alike[part]).to(first))
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
    optimiser.zero_grad(set_to_none=True)


def _view(
    encoder: RelationEncoder, rows: TokenRows, examples: NDArray[np.int64], chosen: NDArray[np.int64]
) -> Float[Tensor, "chosen width"]:
    """Encode one side of a step's pairs, each distinct example once."""
    unique, back = np.unique(chosen, return_inverse=True)
    batch = rows.batch(examples[unique].tolist())
    return encode_in_chunks(encoder, batch, chunks=_CHUNKS).vectors[torch.from_numpy(back)]


def _share_of_rate(step: int, steps: int, warmup: float) -> float:
    """Return the learning rate of a step as a share of the highest: rising at first, then falling to 0."""
    rising = max(1, round(warmup * steps))
    return min((step + 1) / rising, (steps - step) / (steps - rising + 1))
