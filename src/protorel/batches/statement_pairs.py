"""Two statements in one row, so that an encoder attends from each to the other."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches.token_rows import TokenRows


@dataclass(frozen=True, slots=True)
class PairBatch:
    """Pairs of statements as token ids, padded to the longest: [CLS] first [SEP] second [SEP], with markers."""

    tokens: Int[Tensor, "pairs length"]
    present: Bool[Tensor, "pairs length"]
    """True for tokens, False for padding."""
    second: Bool[Tensor, "pairs length"]
    """True for tokens of the second statement, the final [SEP] included."""

    def __len__(self) -> int:
        return len(self.tokens)

    def to(self, device: torch.device) -> PairBatch:
        """Return the batch on another device."""
        return PairBatch(*(getattr(self, field.name).to(device) for field in fields(self)))


def join_pairs(rows: TokenRows, firsts: NDArray[np.int64], seconds: NDArray[np.int64]) -> PairBatch:
    """Join each of the first rows with one of the second, without the latter's [CLS].

    Rows are not cropped here: each was cropped when it was tokenised.
    """
    lengths, before = rows.lengths, len(rows.layout.prefix)
    border = lengths[firsts][:, None]
    end = border + lengths[seconds][:, None] - before
    position = np.arange(end.max())
    present, second = position < end, (position >= border) & (position < end)
    # The offset from a position in the joined row to its token among all tokens.
    origin = np.where(second, rows.starts[seconds][:, None] + before - border, rows.starts[firsts][:, None])
    tokens = np.where(present, rows.tokens[np.where(present, origin + position, 0)], rows.layout.pad).astype(np.int64)
    return PairBatch(torch.from_numpy(tokens), torch.from_numpy(present), torch.from_numpy(second))
