"""The base class of word encoders: word vectors, distances to both entities, stored weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from safetensors.torch import save_file
from torch import Tensor, nn

from protorel.batches import StatementBatch
from protorel.encoders.readout import everywhere
from protorel.statements import BadInput

WEIGHTS = "model.safetensors"


class WordEncoder(nn.Module):
    """An encoder over words and, unless `position_width` is 0, their distances to the starts of both entities.

    A subclass adds its layers, `width`, `states` and `read`; `own` are the sizes that only it has.
    """

    width: int

    def __init__(
        self,
        kind: str,
        own: Mapping[str, Any],
        *,
        words: int,
        word_width: int,
        position_width: int,
        farthest: int,
        dropout: float,
        padding_id: int,
    ) -> None:
        super().__init__()
        self.settings: Mapping[str, Any] = {
            "kind": kind, "words": words, "word_width": word_width, "position_width": position_width, **own,
            "farthest": farthest, "dropout": dropout, "padding_id": padding_id,
        }  # fmt: skip
        """The kind of encoder and all its sizes."""
        self.farthest = farthest
        self.input_width = word_width + 2 * position_width
        self.word = nn.Embedding(words, word_width, padding_idx=padding_id)
        self.to_head = nn.Embedding(2 * farthest + 1, position_width)
        self.to_tail = nn.Embedding(2 * farthest + 1, position_width)
        self.dropout = nn.Dropout(dropout)

    def inputs(self, batch: StatementBatch) -> Float[Tensor, "batch length input"]:
        """Return each word's vector concatenated with those of its distances; padding is zero.

        So the features of a sentence do not depend on the lengths of others in the batch.
        """
        seen = torch.cat([self.word(batch.tokens), self.distances(batch)], dim=-1)
        inputs: Tensor = self.dropout(seen) * batch.present[..., None]
        return inputs

    def distances(self, batch: StatementBatch) -> Float[Tensor, "batch length positions"]:
        """Return the vectors of each word's distances to head and tail, concatenated."""
        places = ((self.to_head, batch.head), (self.to_tail, batch.tail))
        return torch.cat([table(self._distance(place, batch)) for table, place in places], dim=-1)

    def states(self, batch: StatementBatch) -> Float[Tensor, "batch length hidden"]:
        """Return a state for each word."""
        raise NotImplementedError

    def states_of(
        self, pieces: Sequence[StatementBatch], read: Sequence[Bool[Tensor, "_ _"]] | None = None
    ) -> list[Float[Tensor, "batch length hidden"]]:
        """Return the states of several batches; `read` is ignored."""
        del read
        return [self.states(piece) for piece in pieces]

    def places_read(
        self, batch: StatementBatch, texts: Bool[Tensor, " batch"] | None = None
    ) -> Bool[Tensor, "batch length"]:
        """Return the places of all words."""
        del texts
        return everywhere(batch)

    def read(self, states: Float[Tensor, "batch length hidden"], batch: StatementBatch) -> Float[Tensor, "batch width"]:
        """Return the statement's vector, given the states of its words."""
        raise NotImplementedError

    def read_text(
        self, states: Float[Tensor, "batch length hidden"], batch: StatementBatch
    ) -> Float[Tensor, "batch width"]:
        """Return the vector of a text without entities: its first and last words take their place."""
        return self.read(states, batch)

    def forward(self, batch: StatementBatch) -> Float[Tensor, "batch width"]:
        """Return one vector per statement."""
        return self.read(self.states(batch), batch)

    @property
    def token_embeddings(self) -> nn.Embedding | None:
        """None: a word encoder has no masked-language head."""
        return None

    def use_word_vectors(self, vectors: Float[Tensor, "words width"]) -> None:
        """Start from given word vectors, one row per token id."""
        if vectors.shape != self.word.weight.shape:
            raise BadInput(
                f"word vectors: expected the shape {tuple(self.word.weight.shape)}, got {tuple(vectors.shape)}"
            )
        with torch.no_grad():
            self.word.weight.copy_(vectors)

    def save_weights(self, folder: Path) -> None:
        """Write model.safetensors."""
        save_file({name: value.contiguous() for name, value in self.state_dict().items()}, folder / WEIGHTS)

    def _distance(self, place: Int[Tensor, "batch 2"], batch: StatementBatch) -> Int[Tensor, "batch length"]:
        position = torch.arange(batch.tokens.shape[1], device=batch.tokens.device)
        return (position - place[:, :1]).clamp(-self.farthest, self.farthest) + self.farthest
