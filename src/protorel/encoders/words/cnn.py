"""The CNN on words and relative positions (Zeng et al. 2014), and the piecewise CNN (Zeng et al. 2015)."""

from __future__ import annotations

from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from protorel.batches import StatementBatch
from protorel.encoders.readout import Readout, maximum
from protorel.encoders.words.word_encoder import WordEncoder
from protorel.statements import BadInput


def sentence_maximum(
    features: Float[Tensor, "batch length channels"], batch: StatementBatch
) -> Float[Tensor, "batch channels"]:
    """Return the ReLU of each feature's maximum over the sentence."""
    return torch.relu(maximum(features, batch.present))


WHOLE = Readout("cnn", 1, sentence_maximum)


class CNNEncoder(WordEncoder):
    """One convolution over words and their distances to both entities, and pooling."""

    def __init__(
        self,
        *,
        words: int,
        word_width: int = 50,
        position_width: int = 5,
        channels: int = 230,
        window: int = 3,
        farthest: int = 40,
        dropout: float = 0.2,
        padding_id: int = 0,
        pooling: Readout = WHOLE,
    ) -> None:
        super().__init__(
            pooling.name, {"channels": channels, "window": window}, words=words, word_width=word_width,
            position_width=position_width, farthest=farthest, dropout=dropout, padding_id=padding_id,
        )  # fmt: skip
        if window % 2 == 0:
            raise BadInput(f"window={window}: expected an odd number of words, so that one is in the middle")
        self.pooling = pooling
        self.width = pooling.parts * channels
        self.convolution = nn.Conv1d(self.input_width, channels, window, padding=window // 2)

    def states(self, batch: StatementBatch) -> Float[Tensor, "batch length channels"]:
        """Return the features of each word's window."""
        features: Tensor = self.convolution(self.inputs(batch).transpose(1, 2))
        return features.transpose(1, 2)

    def read(
        self, states: Float[Tensor, "batch length channels"], batch: StatementBatch
    ) -> Float[Tensor, "batch width"]:
        """Return the pooled features."""
        return self.pooling.read(states, batch)


def pieces(batch: StatementBatch) -> Int[Tensor, "batch length"]:
    """Return the piece of each word: how many of the two entities end before it.

    The sentence is cut after each entity: the first piece is the entity that ends first and all before it, the second
    is the other entity and all between, the third is the rest. Each word is in exactly one piece, also when entities
    overlap. The first piece is never empty, the second only if both entities end with the same word.
    """
    position = torch.arange(batch.tokens.shape[1], device=batch.tokens.device)
    return (position >= batch.head[:, 1:]).long() + (position >= batch.tail[:, 1:]).long()


def piecewise_maximum(
    features: Float[Tensor, "batch length channels"], batch: StatementBatch
) -> Float[Tensor, "batch three_channels"]:
    """Return tanh of each feature's maximum in each piece, concatenated; an empty piece gives 0."""
    own = pieces(batch)
    found = [maximum(features, (own == piece) & batch.present) for piece in range(3)]
    return torch.tanh(torch.cat(found, dim=-1))


PIECEWISE = Readout("pcnn", 3, piecewise_maximum)

PCNNEncoder = partial(CNNEncoder, pooling=PIECEWISE)
"""The CNN with piecewise pooling."""
