"""Masking for the masked-language term: new tensors, and never a marker or padding."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from protorel.batches.layout import Layout
from protorel.batches.statement_batch import StatementBatch
from protorel.io import BadInput


@dataclass(frozen=True, slots=True)
class MaskedBatch:
    """A batch with some tokens hidden, where they are, and what they were."""

    batch: StatementBatch
    hidden: Bool[Tensor, "batch length"]
    original: Int[Tensor, "batch length"]


def mask_tokens(batch: StatementBatch, layout: Layout, *, rate: float, generator: torch.Generator) -> MaskedBatch:
    """Hide a share of the text's tokens: 80 % as the mask token, 10 % as a random one, 10 % left as they are."""
    if layout.mask is None:
        raise BadInput("this tokenizer has no mask token, so the masked-language term cannot be used with it")
    shape = batch.tokens.shape
    maskable = batch.content & (batch.tokens != layout.blank)
    if layout.unknown is not None:
        maskable &= batch.tokens != layout.unknown
    hidden = maskable & (torch.rand(shape, generator=generator) < rate)
    fate = torch.rand(shape, generator=generator)
    tokens = torch.where(hidden & (fate < 0.8), layout.mask, batch.tokens)
    random_tokens = torch.randint(layout.vocabulary_size, shape, generator=generator)
    # A random token must not forge structure; the few that would stay as they were.
    harmless = ~torch.isin(random_tokens, torch.tensor([*layout.structural, layout.blank]))
    tokens = torch.where(hidden & (fate >= 0.9) & harmless, random_tokens, tokens)
    return MaskedBatch(batch.with_tokens(tokens), hidden, batch.tokens)
