"""Readouts: from the states of a sentence's tokens to one vector per statement."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from protorel.batches import StatementBatch

States = Float[Tensor, "batch length hidden"]
Vectors = Float[Tensor, "batch width"]


def everywhere(batch: StatementBatch) -> Bool[Tensor, "batch length"]:
    """Return the places of all tokens."""
    return batch.present


@dataclass(frozen=True, slots=True)
class Readout:
    """Computes a statement's vector from its token states; its width is `parts` times the hidden size."""

    name: str
    parts: int
    read: Callable[[States, StatementBatch], Vectors]
    places: Callable[[StatementBatch], Bool[Tensor, "batch length"]] = everywhere
    """The places whose states are read."""


def start_markers(states: States, batch: StatementBatch) -> Vectors:
    """Return the states of the two start markers, concatenated, as in the paper's released code."""
    rows = torch.arange(len(states), device=states.device)
    return torch.cat([states[rows, batch.head[:, 0]], states[rows, batch.tail[:, 0]]], dim=-1)


def mention_means(states: States, batch: StatementBatch) -> Vectors:
    """Return the means over each entity's tokens without markers, concatenated."""
    means = [_mean(states, _inside(place, batch) & batch.content) for place in (batch.head, batch.tail)]
    return torch.cat(means, dim=-1)


def first_token(states: States, _: StatementBatch) -> Vectors:
    """Return the state of the first token, BERT's [CLS]."""
    return states[:, 0]


def mean_of_all(states: States, batch: StatementBatch) -> Vectors:
    """Return the mean over all tokens, as sentence encoders do."""
    return _mean(states, batch.present)


def _places_of_start_markers(batch: StatementBatch) -> Bool[Tensor, "batch length"]:
    position = torch.arange(batch.tokens.shape[1], device=batch.tokens.device)
    return (position == batch.head[:, :1]) | (position == batch.tail[:, :1])


def _places_of_mentions(batch: StatementBatch) -> Bool[Tensor, "batch length"]:
    return (_inside(batch.head, batch) | _inside(batch.tail, batch)) & batch.content


def _first_place(batch: StatementBatch) -> Bool[Tensor, "batch length"]:
    read = torch.zeros_like(batch.present)
    read[:, 0] = True
    return read


READOUTS: Mapping[str, Readout] = {
    readout.name: readout
    for readout in (
        Readout("start", 2, start_markers, _places_of_start_markers),
        Readout("mention", 2, mention_means, _places_of_mentions),
        Readout("cls", 1, first_token, _first_place),
        Readout("mean", 1, mean_of_all),
    )
}


def whole_text(states: States, batch: StatementBatch, *, parts: int) -> Vectors:
    """Return the vector of a text without entities: the mean if `parts` is 1, otherwise [CLS] and the mean."""
    mean = mean_of_all(states, batch)
    return mean if parts == 1 else torch.cat([first_token(states, batch), mean], dim=-1)


def maximum(states: States, where: Bool[Tensor, "batch length"]) -> Vectors:
    """Return the maximum of each state over the chosen tokens; 0 if none is chosen."""
    highest = states.masked_fill(~where[..., None], -math.inf).amax(1)
    return highest.masked_fill(~where.any(1)[:, None], 0.0)


def _inside(place: Int[Tensor, "batch 2"], batch: StatementBatch) -> Bool[Tensor, "batch length"]:
    position = torch.arange(batch.tokens.shape[1], device=batch.tokens.device)
    return (position >= place[:, :1]) & (position < place[:, 1:])


def _mean(states: States, where: Bool[Tensor, "batch length"]) -> Vectors:
    weight = where[..., None].to(states.dtype)
    return (states * weight).sum(1) / weight.sum(1)
