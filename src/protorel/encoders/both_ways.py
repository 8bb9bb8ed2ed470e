"""Reading sentences forwards and backwards, whatever stands behind them to make them equally long."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def read_both_ways(
    forwards: nn.Module,
    backwards: nn.Module,
    inputs: Float[Tensor, "batch length input"],
    lengths: Int[Tensor, " batch"],
) -> Float[Tensor, "batch length hidden"]:
    """Return each word's state of reading forwards, and that of reading backwards, joined.

    Both are recurrent layers of torch that take the batch first.
    """
    turned = _turned(lengths, inputs.shape[1])
    ahead, _ = forwards(inputs)
    back, _ = backwards(_reordered(inputs, turned))
    return torch.cat([ahead, _reordered(back, turned)], dim=-1)


def _turned(lengths: Int[Tensor, " batch"], longest: int) -> Int[Tensor, "batch length"]:
    """Return the order that turns each sentence around and leaves its padding behind it.

    So padding comes after the last word in both readings, and no state of a word ever depends on it. That is
    what packed sequences are for; on a CPU those train more slowly.
    """
    position = torch.arange(longest, device=lengths.device)
    mirrored = lengths[:, None] - 1 - position
    return torch.where(mirrored >= 0, mirrored, position)


def _reordered(
    states: Float[Tensor, "batch length hidden"], order: Int[Tensor, "batch length"]
) -> Float[Tensor, "batch length hidden"]:
    return states.gather(1, order[..., None].expand_as(states))
