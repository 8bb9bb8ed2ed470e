"""A recurrent encoder that reads the sentence in both directions (Zhang and Wang 2015)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from protorel.batches import StatementBatch
from protorel.encoders.readout import maximum
from protorel.encoders.words.word_encoder import WordEncoder
from protorel.statements import BadInput

CELLS: Mapping[str, Callable[..., nn.Module]] = {"lstm": nn.LSTM, "gru": nn.GRU, "tanh": nn.RNN}
"""`tanh` is the cell of the paper; the other two have a longer memory."""


class RNNEncoder(WordEncoder):
    """A bidirectional RNN over words, and the maximum of its states over the sentence.

    As in the paper, entities are shown by position indicators: the four markers are words of the sentence. If
    `position_width` is above 0, distances are an input too.
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
            raise BadInput(f"cell: expected one of {', '.join(CELLS)}, got {cell!r}")
        self.width = 2 * hidden
        self.forwards = CELLS[cell](self.input_width, hidden, batch_first=True)
        self.backwards = CELLS[cell](self.input_width, hidden, batch_first=True)

    def states(self, batch: StatementBatch) -> Float[Tensor, "batch length hidden"]:
        """Return the forward and backward states of each word, concatenated."""
        return read_both_ways(self.forwards, self.backwards, self.inputs(batch), batch.lengths)

    def read(
        self, states: Float[Tensor, "batch length hidden"], batch: StatementBatch
    ) -> Float[Tensor, "batch hidden"]:
        """Return the maximum of each state over the sentence."""
        return maximum(states, batch.present)


def read_both_ways(
    forwards: nn.Module,
    backwards: nn.Module,
    inputs: Float[Tensor, "batch length input"],
    lengths: Int[Tensor, " batch"],
) -> Float[Tensor, "batch length hidden"]:
    """Return the forward and backward states of each word, concatenated.

    Both modules are recurrent layers of torch with `batch_first=True`.
    """
    order = _reversed_order(lengths, inputs.shape[1])
    ahead, _ = forwards(inputs)
    back, _ = backwards(_reordered(inputs, order))
    return torch.cat([ahead, _reordered(back, order)], dim=-1)


def _reversed_order(lengths: Int[Tensor, " batch"], longest: int) -> Int[Tensor, "batch length"]:
    """Return the order that reverses each sentence and keeps its padding at the end.

    Padding follows the last word in both directions, so no word's state depends on it. Packed sequences do the same;
    on a CPU they train more slowly.
    """
    position = torch.arange(longest, device=lengths.device)
    mirrored = lengths[:, None] - 1 - position
    return torch.where(mirrored >= 0, mirrored, position)


def _reordered(
    states: Float[Tensor, "batch length hidden"], order: Int[Tensor, "batch length"]
) -> Float[Tensor, "batch length hidden"]:
    return states.gather(1, order[..., None].expand_as(states))
