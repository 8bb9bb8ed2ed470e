"""A recurrent encoder that reads the sentence in both directions (Zhang and Wang 2015)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jaxtyping import Float
from torch import Tensor, nn

from protorel.batches import StatementBatch
from protorel.encoders.both_ways import read_both_ways
from protorel.encoders.readout import maximum
from protorel.encoders.word_encoder import WordEncoder
from protorel.statements import BadInput

CELLS: Mapping[str, Callable[..., nn.Module]] = {"lstm": nn.LSTM, "gru": nn.GRU, "tanh": nn.RNN}
"""`tanh` is the cell of the paper; the other two forget less."""


class RNNEncoder(WordEncoder):
    """Words read forwards and backwards, both states of each joined, and the maximum over the sentence.

    The entities are shown as in the paper, by position indicators: the four markers stand among the words. Distances
    are read in addition where `position_width` is above 0.
    """

    def __init__(
        self,
        *,
        words: int,
        word_width: int = 50,
        position_width: int = 0,
        hidden: int = 120,
        cell: str = "lstm",
        farthest: int = 40,
        dropout: float = 0.2,
        padding_id: int = 0,
    ) -> None:
        super().__init__(
            "rnn", {"hidden": hidden, "cell": cell}, words=words, word_width=word_width,
            position_width=position_width, farthest=farthest, dropout=dropout, padding_id=padding_id,
        )  # fmt: skip
        if cell not in CELLS:
            raise BadInput(f"cell {cell!r} is not known, one of {', '.join(CELLS)} is wanted")
        self.width = 2 * hidden
        self.forwards = CELLS[cell](self.input_width, hidden, batch_first=True)
        self.backwards = CELLS[cell](self.input_width, hidden, batch_first=True)

    def states(self, batch: StatementBatch) -> Float[Tensor, "batch length hidden"]:
        """Return each word's state of reading forwards, and that of reading backwards, joined."""
        return read_both_ways(self.forwards, self.backwards, self.inputs(batch), batch.lengths)

    def read(
        self, states: Float[Tensor, "batch length hidden"], batch: StatementBatch
    ) -> Float[Tensor, "batch hidden"]:
        """Return the maximum of each state over the sentence."""
        return maximum(states, batch.present)
