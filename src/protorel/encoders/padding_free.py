"""BERT without padding: the tokens of all statements pass through the layers end to end, as one long row.

Only attention, which must not cross from one statement to another, reads padded pieces of like length. All else is
computed for real tokens alone and in one product for the batch, so the gradient of each weight is written once and not
once for each piece. Known as unpadding (ModernBERT) or padding-free training.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float, Int
from torch import Tensor
from transformers import BertModel, PreTrainedModel

from protorel.batches import StatementBatch

_STEPS = 2**16
"""Dropout compares 16 random bits with a threshold; a draw of 64 serves four places."""


def can_be_padding_free(backbone: PreTrainedModel) -> bool:
    """Tell whether a backbone has BERT's layers, and places of words that are added to them."""
    config = backbone.config
    absolute = getattr(config, "position_embedding_type", "absolute") == "absolute"
    return type(backbone) is BertModel and absolute and not getattr(config, "is_decoder", False)


def padding_free_states(
    backbone: PreTrainedModel, pieces: Sequence[StatementBatch], words: Float[Tensor, "places hidden"]
) -> list[Float[Tensor, "batch length hidden"]]:
    """Return the last layer's states of several batches, 0 where there is padding.

    `words` are the word embeddings of all places of all batches, row by row.
    """
    spans = [_Span.of(piece) for piece in pieces]
    tokens = words[torch.cat([piece.present.flatten() for piece in pieces])]
    positions = torch.cat([_positions(piece.present) for piece in pieces])
    bert: Any = backbone  # its modules are known by name alone
    states: Tensor = bert.embeddings(inputs_embeds=tokens[None], position_ids=positions[None])[0]
    sizes = [len(span.present) for span in spans]
    for layer in bert.encoder.layer:
        attention = layer.attention.self
        heads, rate = int(attention.num_attention_heads), attention.dropout.p if attention.training else 0.0
        projections = (attention.query, attention.key, attention.value)
        weight, bias = (torch.cat([getattr(one, name) for one in projections]) for name in ("weight", "bias"))
        parts = F.linear(states, weight, bias).split(sizes)
        seen = [_attend(part, span, heads=heads, rate=rate) for part, span in zip(parts, spans, strict=True)]
        states = _add(layer.attention.output, torch.cat(seen), states)
        states = _add(layer.output, layer.intermediate(states), states)
    return [span.padded(part) for part, span in zip(states.float().split(sizes), spans, strict=True)]


@dataclass(frozen=True, slots=True)
class _Span:
    """The tokens of a piece in the long row, and their places in the padded piece."""

    shape: torch.Size
    present: Int[Tensor, " tokens"]
    """The places of the piece that hold a token, counted row by row."""
    bias: Float[Tensor, "batch 1 1 length"]
    """What is added to the logits of attention: minus infinity where there is padding."""

    def padded(self, tokens: Float[Tensor, "tokens any"]) -> Float[Tensor, "batch length any"]:
        """Return the tokens as rows of like length, with 0 where there is padding."""
        empty = tokens.new_zeros(self.shape.numel(), tokens.shape[1])
        padded: Tensor = empty.index_copy(0, self.present, tokens).unflatten(0, self.shape)
        return padded

    @classmethod
    def of(cls, piece: StatementBatch) -> _Span:
        """Find the tokens of a piece."""
        bias = torch.zeros(piece.present.shape, device=piece.present.device).masked_fill(~piece.present, -math.inf)
        return cls(piece.present.shape, piece.present.flatten().nonzero()[:, 0], bias[:, None, None])


def _positions(present: Bool[Tensor, "batch length"]) -> Int[Tensor, " tokens"]:
    return torch.arange(present.shape[1], device=present.device).expand_as(present)[present]


def _attend(
    tokens: Float[Tensor, "tokens three_hidden"], span: _Span, *, heads: int, rate: float
) -> Float[Tensor, "tokens hidden"]:
    """Attend within each statement of one piece, given the queries, keys and values of its tokens side by side."""
    query, key, value = span.padded(tokens).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    logits = (query / math.sqrt(query.shape[-1])) @ key.transpose(2, 3) + span.bias
    seen = fast_dropout(logits.softmax(-1).to(value.dtype), rate) @ value
    joined: Tensor = seen.transpose(1, 2).flatten(2).flatten(0, 1)
    return joined.index_select(0, span.present)


def _add(output: Any, new: Float[Tensor, "tokens inner"], old: Float[Tensor, "tokens hidden"]) -> Tensor:
    """Do what BERT's output blocks do: project, drop, add, normalise."""
    rate = output.dropout.p if output.training else 0.0
    normalised: Tensor = output.LayerNorm(fast_dropout(output.dense(new), rate) + old)
    return normalised


def fast_dropout(values: Tensor, rate: float) -> Tensor:
    """Set a share of the values to 0 and scale the others up, as dropout does, with a quarter of its random numbers.

    The share is rounded to a multiple of 1 / 65,536, and the scale is that of the rounded share. Draws from torch's own
    generator.
    """
    dropped = round(rate * _STEPS)
    if not dropped:
        return values
    count = values.numel()
    bits = torch.empty((count + 3) // 4, dtype=torch.int64, device=values.device).random_(-(2**63), None)
    kept = bits.view(torch.int16)[:count] >= dropped - _STEPS // 2
    return values * kept.to(values.dtype).mul_(_STEPS / (_STEPS - dropped)).view(values.shape)
