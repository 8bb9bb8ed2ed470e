"""Two statements in one row, so that an encoder reads each in the light of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from jaxtyping import Bool, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from protorel.batches.token_rows import TokenRows


@dataclass(frozen=True, slots=True)
class PairBatch:
    """Pairs of statements as token ids, padded to the longest: [CLS] one [SEP] the other [SEP], markers in both."""

    tokens: Int[Tensor, "pairs length"]
    present: Bool[Tensor, "pairs length"]
    """Where there is a token and not padding."""
    second: Bool[Tensor, "pairs length"]
    """Where there is a token of the second statement, the end of the row included."""

    def __len__(self) -> int:
        return len(self.tokens)

    def to(self, device: torch.device) -> PairBatch:
        """Return the batch on another device."""
        return PairBatch(*(getattr(self, field.name).to(device) for field in fields(self)))


def join_pairs(rows: TokenRows, firsts: Sequence[int], seconds: Sequence[int]) -> PairBatch:
    """Join each of the first rows with one of the second; these leave out what stands before a text.

    Each row was cropped to its length with both entities in it, and nothing is cropped here.
    """
    before = len(rows.layout.prefix)
    ones = [torch.from_numpy(rows.row(index).ids) for index in firsts]
    others = [torch.from_numpy(rows.row(index).ids)[before:] for index in seconds]
    joined = [torch.cat(both).long() for both in zip(ones, others, strict=True)]
    tokens = pad_sequence(joined, batch_first=True, padding_value=rows.layout.pad)
    position = torch.arange(tokens.shape[1])
    present = position < torch.tensor([len(both) for both in joined])[:, None]
    second = present & (position >= torch.tensor([len(one) for one in ones])[:, None])
    return PairBatch(tokens, present, second)
