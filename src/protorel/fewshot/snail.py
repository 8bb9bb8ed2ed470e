"""SNAIL: an episode read from left to right, by temporal convolutions and causal attention."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from protorel.fewshot.episode_method import EpisodeMethod, Scored, standardised
from protorel.fewshot.method_settings import SNAILSettings
from protorel.io import BadInput

Elements = Float[Tensor, "*episodes elements features"]

_NUMBERS_AT_ONCE = 10_000_000
"""Features and attention weights held in memory at a time in evaluation."""


class SNAIL(EpisodeMethod):
    """A sequence model over the examples of an episode and a query.

    Mishra et al. 2018, "A simple neural attentive meta-learner". The examples with their labels form a sequence, class
    by class, and the query without a label comes last. Causal attention finds earlier elements with a matching key, and
    temporal convolutions combine elements 1, 2, 4, … positions apart; each block adds features to an element. The
    labels of similar examples thus reach the query, whose position is read for the answer. Nothing before the query
    depends on it, so all queries of an episode share one pass. As in the paper, the order of the examples matters.
    """

    def __init__(self, settings: SNAILSettings, width: int) -> None:
        super().__init__(settings, width)
        self.most_ways, self.most_examples = settings.most_ways, settings.most_ways * settings.most_shots
        self.enter = nn.Linear(width, settings.vector_width) if settings.vector_width else nn.Identity()
        known = (settings.vector_width or width) + settings.most_ways
        blocks: list[CausalAttention | TemporalConvolution] = []
        for key, value in settings.attention:
            if blocks:
                blocks.append(TemporalConvolution(known, settings.filters, length=self.most_examples + 1))
                known = blocks[-1].width
            blocks.append(CausalAttention(known, key, value))
            known = blocks[-1].width
        self.blocks = nn.ModuleList(blocks)
        self.answer = nn.Linear(known, settings.most_ways, bias=False)

    def check(self, way: int, shot: int) -> None:
        """Refuse more classes than a label has room for, and more examples than a convolution block spans."""
        if way > self.most_ways:
            raise BadInput(
                f"method snail: expected at most {self.most_ways} classes per episode, got {way}; "
                f"train it with method.most_ways={way}"
            )
        if way * shot > self.most_examples:
            raise BadInput(
                f"method snail: expected at most {self.most_examples} examples per episode, got {way} x {shot}; "
                f"train it with method.most_shots={-(-way * shot // self.most_ways)}"
            )

    def episodes_at_once(self, way: int, shot: int) -> int:
        """Bound the features and the attention weights."""
        elements = way * (shot + 1)
        return max(1, _NUMBERS_AT_ONCE // (elements * (elements + self.answer.in_features)))

    def forward(
        self, support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"]
    ) -> Scored:
        """Read the sequence, and the output at the position of each query."""
        way, shot = support.shape[1:3]
        support, query = standardised(support, query)
        elements = labelled_row(self.enter(support), self.enter(query), most_ways=self.most_ways)
        row = Row.of(way * shot, query.shape[1], query.device)
        for block in self.blocks:
            elements = block(elements, row)
        return Scored(self.answer(elements[:, way * shot :])[..., :way])


def labelled_row(
    support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"], *, most_ways: int
) -> Elements:
    """Return the examples with their labels, class by class, and the queries, whose label is 0 for every class."""
    (episodes, way, shot, _), queries = support.shape, query.shape[1]
    labels = torch.eye(way, most_ways, dtype=query.dtype, device=query.device).repeat_interleave(shot, dim=0)
    labels = torch.cat([labels, labels.new_zeros(queries, most_ways)])
    return torch.cat([torch.cat([support.flatten(1, 2), query], dim=1), labels.expand(episodes, -1, -1)], dim=-1)


@dataclass(frozen=True, slots=True)
class Row:
    """The positions of a sequence: one per example, then the last, which all queries share without attending to each
    other.
    """

    places: Int[Tensor, " elements"]

    @classmethod
    def of(cls, examples: int, queries: int, device: torch.device | None = None) -> Row:
        """Return the positions of a number of examples and queries."""
        return cls(torch.arange(examples + queries, device=device).clamp(max=examples))

    def before(self, elements: Elements, by: int) -> Elements:
        """Return the element `by` positions before each element, 0 before the start."""
        # Below the last position, position and index are the same, so this is an example.
        places = self.places - by
        found = elements[..., places.clamp(min=0), :]
        return found * (places >= 0)[:, None]

    def earlier(self) -> Bool[Tensor, "elements elements"]:
        """Return for each element which others come before it."""
        return self.places[:, None] > self.places


class DenseLayer(nn.Module):
    """x_t becomes [x_t, tanh(U [x_t, x_{t-d}]) σ(V [x_t, x_{t-d}])]: a gated convolution with dilation d."""

    def __init__(self, width: int, filters: int, back: int) -> None:
        super().__init__()
        self.back = back
        self.found, self.gate = nn.Linear(2 * width, filters), nn.Linear(2 * width, filters)

    def forward(self, elements: Elements, row: Row) -> Elements:
        """Add the features of the convolution."""
        both = torch.cat([elements, row.before(elements, self.back)], dim=-1)
        return torch.cat([elements, torch.tanh(self.found(both)) * torch.sigmoid(self.gate(both))], dim=-1)


class TemporalConvolution(nn.Module):
    """Dense layers with dilations 1, 2, 4, … that together span a sequence of a length.

    As printed, the paper's begin with 2, which never reaches an odd number of positions back.
    """

    def __init__(self, width: int, filters: int, length: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            DenseLayer(width + number * filters, filters, 2**number) for number in range(math.ceil(math.log2(length)))
        )
        self.width = width + len(self.layers) * filters

    def forward(self, elements: Elements, row: Row) -> Elements:
        """Add features of earlier elements to each element."""
        for layer in self.layers:
            elements = layer(elements, row)
        return elements


class CausalAttention(nn.Module):
    """x_t becomes [x_t, Σ_s A_ts v(x_s)], A_ts = softmax over s < t of q(x_t) · k(x_s) / √(width of a key).

    No element attends to itself, as it may in the paper: its features are kept anyway. The query map starts equal to
    the key map, so that similar elements are found from the first step on; otherwise no label would reach the query for
    long. The first element has nothing to attend to and gets 0.
    """

    def __init__(self, width: int, key: int, value: int) -> None:
        super().__init__()
        # A bias of the key would be the same for all elements.
        self.query, self.key = nn.Linear(width, key, bias=False), nn.Linear(width, key, bias=False)
        self.value = nn.Linear(width, value)
        nn.init.normal_(self.key.weight, std=width**-0.5)
        self.query.load_state_dict(self.key.state_dict())
        self.width = width + value

    def forward(self, elements: Elements, row: Row) -> Elements:
        """Add what each element attends to among the earlier ones."""
        scores = self.query(elements) @ self.key(elements).mT * self.key.out_features**-0.5
        earlier = row.earlier()
        # Not minus infinity: the first element has nothing to attend to.
        weights = scores.masked_fill(~earlier, torch.finfo(scores.dtype).min).softmax(-1) * earlier
        return torch.cat([elements, weights @ self.value(elements)], dim=-1)
