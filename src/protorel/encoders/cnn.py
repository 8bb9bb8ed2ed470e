"""A convolutional encoder on words and relative positions (Zeng et al. 2014)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from protorel.batches import StatementBatch
from protorel.statements import BadInput


class CNNEncoder(nn.Module):
    """Words and their distances to both entities, one convolution, the maximum over the sentence."""

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
    ) -> None:
        super().__init__()
        if window % 2 == 0:
            raise BadInput(f"window={window} has no word in its middle, an odd number is wanted")
        self.width = channels
        self.farthest = farthest
        self._settings = {
            "words": words, "word_width": word_width, "position_width": position_width, "channels": channels,
            "window": window, "farthest": farthest, "dropout": dropout, "padding_id": padding_id,
        }  # fmt: skip
        self.word = nn.Embedding(words, word_width, padding_idx=padding_id)
        self.to_head = nn.Embedding(2 * farthest + 1, position_width)
        self.to_tail = nn.Embedding(2 * farthest + 1, position_width)
        self.convolution = nn.Conv1d(word_width + 2 * position_width, channels, window, padding=window // 2)
        self.dropout = nn.Dropout(dropout)

    @classmethod
    def load(cls, folder: Path, settings: Mapping[str, Any]) -> CNNEncoder:
        """Build the encoder from its settings and read its weights from a folder."""
        encoder = cls(**{name: value for name, value in settings.items() if name != "kind"})
        weights = load_file(folder / "model.safetensors")
        try:
            encoder.load_state_dict(weights)
        except RuntimeError as problem:
            raise BadInput(f"{folder / 'model.safetensors'}: does not fit the settings in protorel.json") from problem
        return encoder

    def use_word_vectors(self, vectors: Float[Tensor, "words width"]) -> None:
        """Start from given word vectors, laid out by token id."""
        if vectors.shape != self.word.weight.shape:
            raise BadInput(
                f"the word vectors have shape {tuple(vectors.shape)}, {tuple(self.word.weight.shape)} is wanted"
            )
        with torch.no_grad():
            self.word.weight.copy_(vectors)

    def states(self, batch: StatementBatch) -> Float[Tensor, "batch length channels"]:
        """Return the features of each word's window."""
        seen = torch.cat(
            [
                self.word(batch.tokens),
                self.to_head(self._distance(batch.head, batch)),
                self.to_tail(self._distance(batch.tail, batch)),
            ],
            dim=-1,
        )
        # Padding is zeroed, so that a sentence's features do not depend on its neighbours' lengths.
        seen = self.dropout(seen) * batch.present[..., None]
        return torch.relu(self.convolution(seen.transpose(1, 2))).transpose(1, 2)

    def read(
        self, states: Float[Tensor, "batch length channels"], batch: StatementBatch
    ) -> Float[Tensor, "batch channels"]:
        """Return the maximum of each feature over the sentence."""
        return states.masked_fill(~batch.present[..., None], 0.0).amax(1)

    def forward(self, batch: StatementBatch) -> Float[Tensor, "batch channels"]:
        """Return one vector a statement."""
        return self.read(self.states(batch), batch)

    @property
    def token_embeddings(self) -> nn.Embedding | None:
        """None: a convolution of a few words has no masked-language head."""
        return None

    @property
    def settings(self) -> Mapping[str, Any]:
        """The kind of encoder and every size of it."""
        return {"kind": "cnn", **self._settings}

    def save_weights(self, folder: Path) -> None:
        """Write model.safetensors."""
        save_file({name: value.contiguous() for name, value in self.state_dict().items()}, folder / "model.safetensors")

    def _distance(self, place: Int[Tensor, "batch 2"], batch: StatementBatch) -> Int[Tensor, "batch length"]:
        position = torch.arange(batch.tokens.shape[1], device=batch.tokens.device)
        distance = (position - place[:, :1]).clamp(-self.farthest, self.farthest)
        return distance + self.farthest
