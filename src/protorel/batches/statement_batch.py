"""The batches that encoders read, as padded rows of tokens: of statements, and of pairs of statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Int
from torch import Tensor

from protorel.batches.layout import Layout
from protorel.batches.markers import TokenRow


@dataclass(frozen=True, slots=True)
class StatementBatch:
    """Statements as token ids, padded to the longest, with the places of both entities."""

    tokens: Int[Tensor, "batch length"]
    present: Bool[Tensor, "batch length"]
    """True for tokens, False for padding."""
    content: Bool[Tensor, "batch length"]
    """True for tokens of the text: no padding, no marker, no special token."""
    head: Int[Tensor, "batch 2"]
    """Start and stop of the head in the row, markers included."""
    tail: Int[Tensor, "batch 2"]

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def lengths(self) -> Int[Tensor, " batch"]:
        """Number of tokens per statement."""
        return self.present.sum(1)

    def select(self, rows: Int[Tensor, " rows"]) -> StatementBatch:
        """Return some of the statements, padded to the longest of them."""
        length = int(self.lengths[rows].max())
        return StatementBatch(
            self.tokens[rows, :length],
            self.present[rows, :length],
            self.content[rows, :length],
            self.head[rows],
            self.tail[rows],
        )

    def to(self, device: torch.device) -> StatementBatch:
        """Return the batch on another device."""
        return StatementBatch(*(getattr(self, field.name).to(device) for field in fields(self)))

    def with_tokens(self, tokens: Int[Tensor, "batch length"]) -> StatementBatch:
        """Return the same batch with other token ids."""
        return replace(self, tokens=tokens)


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


def collate(rows: Sequence[TokenRow], layout: Layout) -> StatementBatch:
    """Return rows as one batch, padded to the longest."""
    lengths = torch.tensor([len(row.ids) for row in rows])
    tokens = torch.full((len(rows), int(lengths.max())), layout.pad, dtype=torch.long)
    for target, row in zip(tokens, rows, strict=True):
        target[: len(row.ids)] = torch.from_numpy(row.ids)
    present = torch.arange(tokens.shape[1]) < lengths[:, None]
    return StatementBatch(
        tokens=tokens,
        present=present,
        content=present & ~torch.isin(tokens, torch.tensor(layout.structural)),
        head=torch.tensor([row.head for row in rows]),
        tail=torch.tensor([row.tail for row in rows]),
    )


def join_batches(first: StatementBatch, second: StatementBatch, layout: Layout) -> StatementBatch:
    """Return the rows of two batches as one batch, padded to the longest."""
    length = max(first.tokens.shape[1], second.tokens.shape[1])

    def both(name: str, value: int) -> Tensor:
        parts = [getattr(batch, name) for batch in (first, second)]
        return torch.cat([F.pad(part, (0, length - part.shape[1]), value=value) for part in parts])

    return StatementBatch(
        tokens=both("tokens", layout.pad),
        present=both("present", 0),
        content=both("content", 0),
        head=torch.cat([first.head, second.head]),
        tail=torch.cat([first.tail, second.tail]),
    )
