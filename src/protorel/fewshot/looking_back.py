"""Elements in a row, each of which looks back and never ahead: the two blocks that SNAIL is made of.

Mishra et al. 2018, "A simple neural attentive meta-learner". What an element is makes no difference here; for SNAIL
(`snail.py`) it is a statement's vector and its label. Each block adds what it found to what an element knew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

Elements = Float[Tensor, "*episodes elements features"]


@dataclass(frozen=True, slots=True)
class Row:
    """The places of a row: one for each example, then the last, which all queries share without seeing each other."""

    places: Int[Tensor, " elements"]

    @classmethod
    def of(cls, examples: int, queries: int, device: torch.device | None = None) -> Row:
        """Lay out a row of examples and queries."""
        return cls(torch.arange(examples + queries, device=device).clamp(max=examples))

    def before(self, elements: Elements, by: int) -> Elements:
        """Return what stands `by` places before each element, 0 where the row has not begun there."""
        # An element with any place but the last has that place for its number, so this finds an example.
        places = self.places - by
        found = elements[..., places.clamp(min=0), :]
        return found * (places >= 0)[:, None]

    def earlier(self) -> Bool[Tensor, "elements elements"]:
        """Tell for each element which have a place before its own."""
        return self.places[:, None] > self.places


class DenseLayer(nn.Module):
    """x_t becomes [x_t, tanh(U [x_t, x_{t-d}]) σ(V [x_t, x_{t-d}])]: a gated convolution that looks d places back."""

    def __init__(self, width: int, filters: int, back: int) -> None:
        super().__init__()
        self.back = back
        self.found, self.gate = nn.Linear(2 * width, filters), nn.Linear(2 * width, filters)

    def forward(self, elements: Elements, row: Row) -> Elements:
        """Add what the convolution found."""
        both = torch.cat([elements, row.before(elements, self.back)], dim=-1)
        return torch.cat([elements, torch.tanh(self.found(both)) * torch.sigmoid(self.gate(both))], dim=-1)


class TemporalConvolution(nn.Module):
    """Dense layers that look 1, 2, 4, … places back, until together they reach over a row of a length.

    As printed, the paper's own begin with 2, which never reaches an odd number of places back.
    """

    def __init__(self, width: int, filters: int, length: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            DenseLayer(width + number * filters, filters, 2**number) for number in range(math.ceil(math.log2(length)))
        )
        self.width = width + len(self.layers) * filters

    def forward(self, elements: Elements, row: Row) -> Elements:
        """Let every element hear of those before it."""
        for layer in self.layers:
            elements = layer(elements, row)
        return elements


class CausalAttention(nn.Module):
    """x_t becomes [x_t, Σ_s A_ts v(x_s)], A_ts = softmax over s < t of q(x_t) · k(x_s) / √(width of a key).

    No element looks up itself, as it may in the paper: it keeps what it is anyway. And q starts as the same function as
    k, so that from the first step on those like itself are found. Else each would find itself, or anything, and nothing
    would be heard of the labels for long. The first element finds nothing, which is 0.
    """

    def __init__(self, width: int, key: int, value: int) -> None:
        super().__init__()
        # A bias of the key would count for every element alike, and so for none.
        self.query, self.key = nn.Linear(width, key, bias=False), nn.Linear(width, key, bias=False)
        self.value = nn.Linear(width, value)
        nn.init.normal_(self.key.weight, std=width**-0.5)
        self.query.load_state_dict(self.key.state_dict())
        self.width = width + value

    def forward(self, elements: Elements, row: Row) -> Elements:
        """Add what was found among the elements before."""
        scores = self.query(elements) @ self.key(elements).mT * self.key.out_features**-0.5
        earlier = row.earlier()
        # Not minus infinity: the first element has nothing to choose from.
        weights = scores.masked_fill(~earlier, torch.finfo(scores.dtype).min).softmax(-1) * earlier
        return torch.cat([elements, weights @ self.value(elements)], dim=-1)
