"""Query and example read together: episodes encoded pair by pair, by encoders that can do that."""

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
    """An encoder that reads two statements as one row, so that each token hears of those of both."""

    @property
    def most_tokens(self) -> int | None:
        """How long a row may be, or None where any length will do."""
        ...

    def read_pairs(self, batch: PairBatch) -> Float[Tensor, "pairs hidden"]:
        """Return the state of each row's first token."""
        ...


def check_reads_pairs(encoder: RelationEncoder, layout: Layout, *, max_length: int) -> None:
    """Refuse an encoder that cannot read two statements of `max_length` tokens at once."""
    if not isinstance(encoder, PairEncoder):
        raise BadInput(f"the encoder {encoder.settings['kind']} cannot read two statements at once, a transformer can")
    if not layout.prefix:
        raise BadInput("the encoder's tokenizer puts nothing before a text, a first token to read two by is wanted")
    most, before = encoder.most_tokens, len(layout.prefix)
    if most is not None and 2 * max_length - before > most:
        raise BadInput(
            f"max_length={max_length}: two statements may have {2 * max_length - before} tokens, the encoder reads no "
            f"more than {most}; max_length={(most + before) // 2} is wanted, or less"
        )


def encode_pairs(
    encoder: RelationEncoder, rows: TokenRows, drawn: Episodes, *, chunks: int, device: torch.device | None = None
) -> Float[Tensor, "episodes query way shot hidden"]:
    """Read each query of an episode together with each of its examples, sorted by length, in `chunks` pieces."""
    assert isinstance(encoder, PairEncoder)  # any other was refused before it was trained
    queries, examples = np.broadcast_arrays(drawn.query[:, :, None, None], drawn.support[:, None])
    firsts, seconds = queries.ravel(), examples.ravel()
    order = np.argsort(rows.lengths[firsts] + rows.lengths[seconds], kind="stable")
    found = []
    for chunk in np.array_split(order, min(chunks, len(order))):
        batch = join_pairs(rows, firsts[chunk], seconds[chunk])
        found.append(encoder.read_pairs(batch.to(device) if device is not None else batch))
    states = torch.cat(found)[torch.from_numpy(np.argsort(order)).to(found[0].device)]
    return states.reshape(*queries.shape, -1)
