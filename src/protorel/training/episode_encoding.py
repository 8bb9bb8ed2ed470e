"""The statements of drawn episodes, each encoded once, as vectors or as the states of their tokens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import Episodes, StatementBatch, TrainingRows
from protorel.encoders import EncodedBatch, RelationEncoder, encode_in_chunks
from protorel.fewshot import TokenStates


@dataclass(frozen=True, slots=True)
class EncodedEpisodes:
    """Statements of episodes, and where in the encoded batch each example and query is."""

    rows: NDArray[np.int64]
    """The statements, each once, however often it was drawn."""
    batch: StatementBatch
    encoded: EncodedBatch
    support: Int[Tensor, "episodes way shot"]
    query: Int[Tensor, "episodes way"]

    def vectors(self) -> tuple[Float[Tensor, "episodes way shot width"], Float[Tensor, "episodes way width"]]:
        """Return examples and queries as vectors."""
        return self.encoded.vectors[self.support], self.encoded.vectors[self.query]

    def states(self) -> tuple[TokenStates, TokenStates]:
        """Return examples and queries as token states, all padded alike."""
        padded = padded_states(self.batch, self.encoded)
        return padded.take(self.support), padded.take(self.query)


def encode_episodes(
    encoder: RelationEncoder,
    rows: TrainingRows,
    drawn: Episodes,
    *,
    states: bool,
    chunks: int,
    device: torch.device,
) -> EncodedEpisodes:
    """Encode all that was drawn in one pass; with `states`, the states of all tokens are kept."""
    chosen = np.concatenate([drawn.support.ravel(), drawn.query.ravel()])
    unique, back = np.unique(chosen, return_inverse=True)
    batch = rows.rows.batch(unique.tolist()).to(device)
    encoded = encode_in_chunks(encoder, batch, chunks=chunks, keep=batch.present if states else None)
    places = torch.from_numpy(back).to(device)
    support = places[: drawn.support.size].reshape(drawn.support.shape)
    query = places[drawn.support.size :].reshape(drawn.query.shape)
    return EncodedEpisodes(unique, batch, encoded, support, query)


def padded_states(batch: StatementBatch, encoded: EncodedBatch) -> TokenStates:
    """Set the states that were kept of each statement side by side, with 0 where there is no token."""
    assert encoded.states is not None
    assert encoded.rows is not None
    assert encoded.positions is not None
    padded = encoded.states.new_zeros(*batch.present.shape, encoded.states.shape[-1])
    padded = padded.index_put((encoded.rows, encoded.positions), encoded.states)
    return TokenStates(padded, batch.present, batch.head, batch.tail)
