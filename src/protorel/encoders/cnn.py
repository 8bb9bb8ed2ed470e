"""A convolutional encoder on words and relative positions (Zeng et al. 2014)."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from protorel.batches import StatementBatch
from protorel.encoders.readout import Readout, maximum
from protorel.encoders.word_encoder import WordEncoder
from protorel.statements import BadInput


def sentence_maximum(
    features: Float[Tensor, "batch length channels"], batch: StatementBatch
) -> Float[Tensor, "batch channels"]:
    """Return the maximum of each feature over the sentence, where it is above 0."""
    return torch.relu(maximum(features, batch.present))


WHOLE = Readout("cnn", 1, sentence_maximum)


class CNNEncoder(WordEncoder):
    """Words and their distances to both entities, one convolution, and a pooling of its features."""

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
            raise BadInput(f"window={window} has no word in its middle, an odd number is wanted")
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
