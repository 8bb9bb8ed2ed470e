"""SetFit (Tunstall et al. 2022, "Efficient few-shot learning without prompts"): the encoder is tuned in each episode.

Every other method here reads vectors of an encoder that stays as it is. SetFit tunes the encoder itself, on nothing but
the examples of the episode: two of one way are to point the same way, two of different ways nowhere near each other.

    minimise over the encoder:   mean over pairs (i, j) of (cos(x_i, x_j) - [y_i = y_j])²

Then a logistic regression on the tuned encoder's vectors of the examples (`linear_probe.py`) answers the queries.

Pairs are drawn in rounds: in each, every example meets one of its own way and one of another. One of its own way may be
the example itself, as in the authors' code; with one shot it always is. Dropout makes two views of it that differ, so
that even such a pair teaches something, if little; what is learned then is mostly to keep the ways apart.

The authors' code draws 20 rounds whatever the episode, at a rate of 2e-5. Here an episode has as many pairs whatever
its size, so that its cost is bounded, and a higher rate makes up for fewer steps. In a step an example is encoded once
for each side of the pairs, however many pairs it stands in there; the authors encode it for each pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from protorel.batches import TokenRows
from protorel.encoders import RelationEncoder, encode_in_chunks

_CHUNKS = 2
"""Statements of a step are encoded in so many pieces of like length."""


@dataclass(frozen=True, slots=True)
class SetFitSettings:
    """How long and how fast the encoder is tuned in an episode."""

    pairs: int = 64
    """How many pairs an episode has; the authors draw 40 for each example."""
    batch_size: int = 16
    """How many pairs a step has."""
    learning_rate: float = 3e-4
    """At its highest: it rises in the first tenth of the steps and then falls to 0."""
    warmup: float = 0.1
    weight_decay: float = 0.01


class Pairs(NamedTuple):
    """Pairs of examples, which are numbered way by way, and whether the two are of one way."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    alike: NDArray[np.bool_]


def draw_pairs(way: int, shot: int, *, count: int, random: np.random.Generator) -> Pairs:
    """Draw pairs in rounds, each round in an order of its own: every example with one of its way, and with another."""
    examples, others = np.arange(way * shot), (way - 1) * shot
    rounds = []
    for _ in range(-(-count // (2 * len(examples)))):
        own = examples // shot * shot + random.integers(shot, size=len(examples))
        # Counted from the end of its own way on, and round the corner, the others are the next so many.
        other = (examples // shot * shot + shot + random.integers(others, size=len(examples))) % len(examples)
        both = np.stack([np.tile(examples, 2), np.concatenate([own, other])])
        rounds.append(random.permutation(both, axis=1))
    first, second = np.concatenate(rounds, axis=1)[:, :count]
    return Pairs(first, second, first // shot == second // shot)


def pair_loss(
    first: Float[Tensor, "pairs width"], second: Float[Tensor, "pairs width"], alike: Float[Tensor, " pairs"]
) -> Float[Tensor, ""]:
    """Return the mean squared error of the cosine, which is to be 1 for those alike and else 0."""
    return (F.cosine_similarity(first, second) - alike).square().mean()


def tune_on_examples(
    encoder: RelationEncoder, rows: TokenRows, support: NDArray[np.int64], settings: SetFitSettings, *, seed: int
) -> None:
    """Tune an encoder, in place, on the examples of one episode: `support` says way by way which `rows` they are.

    The same seed makes the same weights of the same ones; a caller's own randomness stays as it was.
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
    """Encode one side of a step's pairs; an example that stands there twice is encoded once."""
    unique, back = np.unique(chosen, return_inverse=True)
    batch = rows.batch(examples[unique].tolist())
    return encode_in_chunks(encoder, batch, chunks=_CHUNKS).vectors[torch.from_numpy(back)]


def _share_of_rate(step: int, steps: int, warmup: float) -> float:
    """Return the share of the learning rate that a step is taken with: rising at first, then falling towards 0."""
    rising = max(1, round(warmup * steps))
    return min((step + 1) / rising, (steps - step) / (steps - rising + 1))
