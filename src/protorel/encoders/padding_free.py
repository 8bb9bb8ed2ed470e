"""BERT without padding: the tokens of all statements pass through the layers as one long row.

Only attention, which must not cross from one statement to another, reads padded pieces of similar length. All else is
computed for real tokens only and in one product for the batch, so the gradient of each weight is written once, not once
per piece. Known as unpadding (ModernBERT) or padding-free training. The last layer is computed only for tokens that are
read: two markers per statement, and those of the masked-language term.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from transformers import BertModel, PreTrainedModel

from protorel.batches import StatementBatch
from protorel.encoders.products import linear

_STEPS = 2**16
"""Dropout compares 16 random bits with a threshold; a draw of 64 bits serves four values."""


def can_be_padding_free(backbone: PreTrainedModel) -> bool:
    """Return whether a backbone has BERT's layers and absolute position embeddings."""
    config = backbone.config
    absolute = getattr(config, "position_embedding_type", "absolute") == "absolute"
    return type(backbone) is BertModel and absolute and not getattr(config, "is_decoder", False)


def padding_free_states(
    backbone: Any,
    pieces: Sequence[StatementBatch],
    words: Float[Tensor, "places hidden"],
    read: Sequence[Bool[Tensor, "_ _"]] | None = None,
) -> list[Float[Tensor, "batch length hidden"]]:
    """Return the last layer's states of several batches, 0 where there is padding.

    Args:
        backbone: a BERT.
        pieces: the batches.
        words: the word embeddings of all places of all batches, row by row.
        read: the places whose states are read. The last layer is computed for these only, and the states of all other
            places are 0. None: every token.
    """
    spans = [_Span.of(piece.present) for piece in pieces]
    tokens = words[torch.cat([piece.present.flatten() for piece in pieces])]
    positions = torch.cat([_positions(piece.present) for piece in pieces])
    states = backbone.embeddings(inputs_embeds=tokens[None], position_ids=positions[None])[0]
    *layers, last = backbone.encoder.layer
    for layer in layers if read is not None else backbone.encoder.layer:
        states = _add_all(layer, _attend_all(layer.attention.self, states, spans), states)
    kept = [span.places for span in spans]
    if read is not None:
        asked = [_Asked.of(mask & piece.present) for mask, piece in zip(read, pieces, strict=True)]
        offsets = _offsets(spans)
        own = torch.cat([one.tokens(span) + start for one, span, start in zip(asked, spans, offsets, strict=True)])
        states = _add_all(last, _attend_asked(last.attention.self, states, own, spans, asked), states[own])
        kept = [one.places for one in asked]
    sizes = [len(places.filled) for places in kept]
    return [places.padded(part) for part, places in zip(states.float().split(sizes), kept, strict=True)]


@dataclass(frozen=True, slots=True)
class _Places:
    """The places of a padded piece that are filled, counted row by row."""

    shape: torch.Size
    filled: Int[Tensor, " tokens"]

    def padded(self, tokens: Float[Tensor, "tokens any"]) -> Float[Tensor, "batch length any"]:
        """Return the tokens as padded rows, with 0 for padding."""
        empty = tokens.new_zeros(self.shape.numel(), tokens.shape[1])
        rows: Tensor = empty.index_copy(0, self.filled, tokens).unflatten(0, self.shape)
        return rows

    def taken(self, seen: Float[Tensor, "batch heads length size"]) -> Float[Tensor, "tokens hidden"]:
        """Return the tokens of attention's output, with concatenated heads."""
        tokens: Tensor = seen.transpose(1, 2).flatten(2).flatten(0, 1).index_select(0, self.filled)
        return tokens


@dataclass(frozen=True, slots=True)
class _Span:
    """The tokens of a piece in the long row."""

    places: _Places
    bias: Float[Tensor, "batch 1 1 length"]
    """Added to the logits of attention: minus infinity for padding."""

    @classmethod
    def of(cls, present: Bool[Tensor, "batch length"]) -> _Span:
        """Find the tokens of a piece."""
        bias = torch.zeros(present.shape, device=present.device).masked_fill(~present, -math.inf)
        return cls(_Places(present.shape, present.flatten().nonzero()[:, 0]), bias[:, None, None])


@dataclass(frozen=True, slots=True)
class _Asked:
    """The tokens of a piece whose last states are read."""

    places: _Places
    """Where they are in the piece."""
    queries: _Places
    """Where they are in a padded piece of only these tokens."""

    @classmethod
    def of(cls, read: Bool[Tensor, "batch length"]) -> _Asked:
        """Find the tokens that are read."""
        row, _ = read.nonzero(as_tuple=True)
        counts = read.sum(1)
        most = max(1, int(counts.max()))
        nth = torch.arange(len(row), device=row.device) - (counts.cumsum(0) - counts)[row]
        return cls(
            _Places(read.shape, read.flatten().nonzero()[:, 0]),
            _Places(torch.Size((len(read), most)), row * most + nth),
        )

    def tokens(self, span: _Span) -> Int[Tensor, " asked"]:
        """Return which of the span's tokens they are."""
        return torch.searchsorted(span.places.filled, self.places.filled)


def _offsets(spans: Sequence[_Span]) -> list[int]:
    """Return where the tokens of each span begin in the long row."""
    return [0, *itertools.accumulate(len(span.places.filled) for span in spans[:-1])]


def _positions(present: Bool[Tensor, "batch length"]) -> Int[Tensor, " tokens"]:
    return torch.arange(present.shape[1], device=present.device).expand_as(present)[present]


def _attend_all(
    attention: Any, states: Float[Tensor, "tokens hidden"], spans: Sequence[_Span]
) -> Float[Tensor, "tokens hidden"]:
    """Attend from every token to all tokens of its statement."""
    parts = _project(states, attention.query, attention.key, attention.value)
    seen = []
    for part, span in zip(parts.split([len(span.places.filled) for span in spans]), spans, strict=True):
        query, key, value = _heads(span.places.padded(part), attention, 3)
        seen.append(span.places.taken(_attend(attention, query, key, value, span.bias)))
    return torch.cat(seen)


def _attend_asked(
    attention: Any,
    states: Float[Tensor, "tokens hidden"],
    own: Int[Tensor, " asked"],
    spans: Sequence[_Span],
    asked: Sequence[_Asked],
) -> Float[Tensor, "asked hidden"]:
    """Attend from the requested tokens, `own` in the long row, to all tokens of their statements."""
    queries = _project(states[own], attention.query).split([len(one.places.filled) for one in asked])
    parts = _project(states, attention.key, attention.value).split([len(span.places.filled) for span in spans])
    seen = []
    for asking, part, span, one in zip(queries, parts, spans, asked, strict=True):
        (query,) = _heads(one.queries.padded(asking), attention, 1)
        key, value = _heads(span.places.padded(part), attention, 2)
        seen.append(one.queries.taken(_attend(attention, query, key, value, span.bias)))
    return torch.cat(seen)


def _project(states: Float[Tensor, "tokens hidden"], *projections: Any) -> Float[Tensor, "tokens several_hidden"]:
    """Apply several projections in one product; return their results concatenated."""
    weight, bias = (torch.cat([getattr(one, name) for one in projections]) for name in ("weight", "bias"))
    return linear(states, weight, bias)


def _heads(padded: Float[Tensor, "batch length parts_hidden"], attention: Any, parts: int) -> tuple[Tensor, ...]:
    """Return each part as (batch, heads, length, size)."""
    split: Tensor = padded.unflatten(-1, (parts, int(attention.num_attention_heads), -1))
    return tuple(split.permute(2, 0, 3, 1, 4).unbind(0))


def _attend(
    attention: Any,
    query: Float[Tensor, "batch heads asking size"],
    key: Float[Tensor, "batch heads length size"],
    value: Float[Tensor, "batch heads length size"],
    bias: Float[Tensor, "batch 1 1 length"],
) -> Float[Tensor, "batch heads asking size"]:
    rate = attention.dropout.p if attention.training else 0.0
    logits = (query / math.sqrt(query.shape[-1])) @ key.transpose(2, 3) + bias
    return fast_dropout(logits.softmax(-1).to(value.dtype), rate) @ value


def _add_all(
    layer: Any, seen: Float[Tensor, "tokens hidden"], states: Float[Tensor, "tokens hidden"]
) -> Float[Tensor, "tokens hidden"]:
    """Return a layer's output, given the output of attention and the states before."""
    states = _add(layer.attention.output, seen, states)
    return _add(layer.output, layer.intermediate(states), states)


def _add(
    output: Any, new: Float[Tensor, "tokens inner"], old: Float[Tensor, "tokens hidden"]
) -> Float[Tensor, "tokens hidden"]:
    """Apply one of BERT's output blocks: project, dropout, add, normalise."""
    rate = output.dropout.p if output.training else 0.0
    normalised: Tensor = output.LayerNorm(fast_dropout(output.dense(new), rate) + old)
    return normalised


def fast_dropout(values: Tensor, rate: float) -> Tensor:
    """Apply dropout with a quarter of torch's random numbers.

    The rate is rounded to a multiple of 1 / 65,536, and values are scaled by the rounded rate. Uses torch's global
    generator.
    """
    dropped = round(rate * _STEPS)
    if not dropped:
        return values
    count = values.numel()
    bits = torch.empty((count + 3) // 4, dtype=torch.int64, device=values.device).random_(-(2**63), None)
    kept = bits.view(torch.int16)[:count] >= dropped - _STEPS // 2
    return values * kept.to(values.dtype).mul_(_STEPS / (_STEPS - dropped)).view(values.shape)
