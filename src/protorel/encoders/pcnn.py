"""The piecewise convolutional encoder (Zeng et al. 2015): the CNN's features, pooled in the sentence's three pieces."""

from __future__ import annotations

from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor

from protorel.batches import StatementBatch
from protorel.encoders.cnn import CNNEncoder
from protorel.encoders.readout import Readout, maximum


def pieces(batch: StatementBatch) -> Int[Tensor, "batch length"]:
    """Tell for each word in which piece it stands: how many of the two entities end before it.

    The sentence is cut behind each entity, so the first piece holds the entity that ends first and all before it,
    the second the other entity and all between, the third the rest. Each word stands in just one piece, however
    the entities lie; the first piece is never empty, the second only where both entities end with the same word.
    """
    position = torch.arange(batch.tokens.shape[1], device=batch.tokens.device)
    return (position >= batch.head[:, 1:]).long() + (position >= batch.tail[:, 1:]).long()


def piecewise_maximum(
    features: Float[Tensor, "batch length channels"], batch: StatementBatch
) -> Float[Tensor, "batch three_channels"]:
    """Join tanh of each feature's maximum in each piece; a piece with no word gives 0."""
    own = pieces(batch)
    found = [maximum(features, (own == piece) & batch.present) for piece in range(3)]
    return torch.tanh(torch.cat(found, dim=-1))


PIECEWISE = Readout("pcnn", 3, piecewise_maximum)

PCNNEncoder = partial(CNNEncoder, pooling=PIECEWISE)
"""Makes the CNN with its features pooled in pieces."""
