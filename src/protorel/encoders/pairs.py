"""Queries and examples encoded together, pair by pair, by encoders that support it."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from protorel.batches import Episodes, Layout, PairBatch, TokenRows, join_pairs
from protorel.encoders.protocol import RelationEncoder
from protorel.statements import BadInput


@runtime_checkable
class PairEncoder(Protocol):
    """An encoder that reads two statements as one row, so that tokens attend to both."""

    @property
    def most_tokens(self) -> int | None:
        """The largest number of tokens in a row; None: no limit."""
        ...

    def read_pairs(self, batch: PairBatch) -> Float[Tensor, "pairs hidden"]:
        """Return the state of each row's first token."""
        ...


def check_reads_pairs(encoder: RelationEncoder, layout: Layout, *, max_length: int) -> None:
    """Refuse an encoder that cannot read two statements of `max_length` tokens at once."""
    if not isinstance(encoder, PairEncoder):
        raise BadInput(
            f"encoder: expected a transformer to read two statements at once, got {encoder.settings['kind']}"
        )
    if not layout.prefix:
        raise BadInput("encoder: expected a tokenizer that starts a text with a special token, got one without")
    most, before = encoder.most_tokens, len(layout.prefix)
    if most is not None and 2 * max_length - before > most:
        raise BadInput(
            f"max_length={max_length}: expected at most {most} tokens for two statements, the limit of the encoder, "
            f"got {2 * max_length - before}. Set max_length={(most + before) // 2} or less"
        )


def encode_pairs(
    encoder: RelationEncoder, rows: TokenRows, drawn: Episodes, *, chunks: int, device: torch.device | None = None
) -> Float[Tensor, "episodes query way shot hidden"]:
    """Encode each query of an episode with each of its examples, sorted by length, in `chunks` pieces."""
    assert isinstance(encoder, PairEncoder)  # `check_reads_pairs` refused any other
    queries, examples = np.broadcast_arrays(drawn.query[:, :, None, None], drawn.support[:, None])
    firsts, seconds = queries.ravel(), examples.ravel()
    order = np.argsort(rows.lengths[firsts] + rows.lengths[seconds], kind="stable")
    found = []
    for chunk in np.array_split(order, min(chunks, len(order))):
        batch = join_pairs(rows, firsts[chunk], seconds[chunk])
        found.append(encoder.read_pairs(batch.to(device) if device is not None else batch))
    states = torch.cat(found)[torch.from_numpy(np.argsort(order)).to(found[0].device)]
    return states.reshape(*queries.shape, -1)
