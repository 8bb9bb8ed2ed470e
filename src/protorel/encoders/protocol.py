"""The interface of all encoders, and of those that read two statements at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from jaxtyping import Bool, Float
from torch import Tensor, nn

from protorel.batches import PairBatch, StatementBatch


@runtime_checkable
class RelationEncoder(Protocol):
    """Turns a batch of statements into one vector each: token states first, then a readout of them.

    The two steps are separate because the masked-language term uses the states of the same pass.
    """

    width: int

    def states(self, batch: StatementBatch) -> Float[Tensor, "batch length hidden"]:
        """Return a state for each token."""
        ...

    def states_of(
        self, pieces: Sequence[StatementBatch], read: Sequence[Bool[Tensor, "_ _"]] | None = None
    ) -> list[Float[Tensor, "batch length hidden"]]:
        """Return the states of several batches, each padded separately; shared work is done once.

        With `read`, only the states of those places are needed; all others may be any finite values.
        """
        ...

    def places_read(
        self, batch: StatementBatch, texts: Bool[Tensor, " batch"] | None = None
    ) -> Bool[Tensor, "batch length"]:
        """Return the places whose states `read` uses, or `read_text` in rows where `texts` is true."""
        ...

    def read(self, states: Float[Tensor, "batch length hidden"], batch: StatementBatch) -> Float[Tensor, "batch width"]:
        """Return the statement's vector, given the states of its tokens."""
        ...

    def read_text(
        self, states: Float[Tensor, "batch length hidden"], batch: StatementBatch
    ) -> Float[Tensor, "batch width"]:
        """Return the vector of a text without entities, to be compared with those of statements."""
        ...

    def __call__(self, batch: StatementBatch) -> Float[Tensor, "batch width"]:
        """Return one vector per statement."""
        ...

    @property
    def token_embeddings(self) -> nn.Embedding | None:
        """The input embeddings that a masked-language head shares; None if there is no such head."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """What is needed, in addition to the weights, to build this encoder again."""
        ...

    def save_weights(self, folder: Path) -> None:
        """Write the weights into a folder."""
        ...


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
