"""Hidden input: random tokens masked for the masked-language term, and entity names replaced by a blank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from protorel.batches.layout import Layout
from protorel.batches.markers import Range, TokenRow
from protorel.batches.statement_batch import StatementBatch
from protorel.io import BadInput


@dataclass(frozen=True, slots=True)
class MaskedBatch:
    """A batch with some tokens hidden, their places, and the original tokens."""

    batch: StatementBatch
    hidden: Bool[Tensor, "batch length"]
    original: Int[Tensor, "batch length"]


def mask_tokens(batch: StatementBatch, layout: Layout, *, rate: float, generator: torch.Generator) -> MaskedBatch:
    """Hide a share of the text's tokens: 80 % become the mask token, 10 % a random one, 10 % stay.

    The batch itself is not changed. Markers and padding are never hidden.
    """
    if layout.mask is None:
        raise BadInput("objective.mlm: expected a tokenizer with a mask token, got none. Set objective.mlm.weight=0")
    shape = batch.tokens.shape
    maskable = batch.content & (batch.tokens != layout.blank)
    if layout.unknown is not None:
        maskable &= batch.tokens != layout.unknown
    hidden = maskable & (torch.rand(shape, generator=generator) < rate)
    fate = torch.rand(shape, generator=generator)
    tokens = torch.where(hidden & (fate < 0.8), layout.mask, batch.tokens)
    random_tokens = torch.randint(layout.vocabulary_size, shape, generator=generator)
    # A random token must not be a marker, padding or a blank; those that would be are left as they were.
    harmless = ~torch.isin(random_tokens, torch.tensor([*layout.structural, layout.blank]))
    tokens = torch.where(hidden & (fate >= 0.9) & harmless, random_tokens, tokens)
    return MaskedBatch(batch.with_tokens(tokens), hidden, batch.tokens)


def blank_entities(row: TokenRow, layout: Layout, *, rate: float, rng: np.random.Generator) -> TokenRow:
    """Replace each entity's name, with probability `rate`, by one blank token; markers stay.

    A name of several tokens becomes a single blank, so its length is hidden too.
    """
    hide_head, hide_tail = rng.random(2) < rate
    if not hide_head and not hide_tail:
        return row
    inside = np.zeros(len(row.ids), dtype=bool)
    for hidden, (start, stop) in ((hide_head, row.head), (hide_tail, row.tail)):
        inside[start:stop] |= hidden
    inside &= ~np.isin(row.ids, layout.structural)
    ids = np.where(inside, np.int32(layout.blank), row.ids)
    keep = ~inside
    keep[0] = True
    keep[1:] |= inside[1:] & ~inside[:-1]
    # Without markers two names may touch or overlap: each has its own blank, at its start.
    keep[[row.head[0], row.tail[0]]] = True
    # The new position of a token is the number of kept tokens before it.
    moved = np.concatenate([[0], np.cumsum(keep)])
    return TokenRow(ids[keep], _move(row.head, moved), _move(row.tail, moved))


def _move(place: Range, moved: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Range:
    return int(moved[place[0]]), int(moved[place[1]])
