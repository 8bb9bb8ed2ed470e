"""SNAIL (Mishra et al. 2018, "A simple neural attentive meta-learner"): an episode read from left to right.

The examples, each with its label, stand in a row, way by way; the query, without one, comes last. Every element of the
row looks back, never ahead, in two ways (`looking_back.py`). A temporal convolution puts beside an element those that
stand 1, 2, 4, … places before it: after a few layers it has heard of them all, in their order. Attention looks up,
anywhere before it, those whose key fits. The two take turns, and each adds what it found to what an element knew. So
the labels of examples like the query come to the query, and its place is read for the answer.

Nothing that comes before the query depends on it. So the examples are read once for all queries of an episode, which
share the last place, each as if it were alone there. The order of the examples counts, as in the paper. Vectors are
measured in spreads, as for the graph network: beside labels their differences would go unseen.
"""

from __future__ import annotations

from typing import Annotated

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from protorel.fewshot.episode_method import EpisodeMethod, Scored
from protorel.fewshot.looking_back import CausalAttention, Elements, Row, TemporalConvolution
from protorel.fewshot.spreads import in_spreads
from protorel.recipes import SNAILSettings
from protorel.statements import BadInput

Width = Annotated[int, Field(ge=1)]

_NUMBERS_AT_ONCE = 10_000_000
"""Features of all elements, and weights of attention, that are held in memory together while judging."""


class SNAIL(EpisodeMethod):
    """Queries answered at the end of a row of examples."""

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
        """Refuse more ways than a label has room for, and more examples than a convolution reaches."""
        if way > self.most_ways:
            raise BadInput(
                f"SNAIL has room for {self.most_ways} ways, the episodes have {way}; "
                f"train it with method.most_ways={way}"
            )
        if way * shot > self.most_examples:
            raise BadInput(
                f"SNAIL reads {self.most_examples} examples at most, the episodes have {way} x {shot}; "
                f"train it with method.most_shots={-(-way * shot // self.most_ways)}"
            )

    def episodes_at_once(self, way: int, shot: int) -> int:
        """Bound what all elements know in the end, and how each looks at each."""
        elements = way * (shot + 1)
        return max(1, _NUMBERS_AT_ONCE // (elements * (elements + self.answer.in_features)))

    def forward(
        self, support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"]
    ) -> Scored:
        """Read the row, and what its last place knows in the end."""
        way, shot = support.shape[1:3]
        support, query = in_spreads(support, query)
        elements = labelled_row(self.enter(support), self.enter(query), most_ways=self.most_ways)
        row = Row.of(way * shot, query.shape[1], query.device)
        for block in self.blocks:
            elements = block(elements, row)
        return Scored(self.answer(elements[:, way * shot :])[..., :way])


def labelled_row(
    support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"], *, most_ways: int
) -> Elements:
    """Return the examples with their labels, way by way, and the queries, whose label is 0 for every way."""
    (episodes, way, shot, _), queries = support.shape, query.shape[1]
    labels = torch.eye(way, most_ways, dtype=query.dtype, device=query.device).repeat_interleave(shot, dim=0)
    labels = torch.cat([labels, labels.new_zeros(queries, most_ways)])
    return torch.cat([torch.cat([support.flatten(1, 2), query], dim=1), labels.expand(episodes, -1, -1)], dim=-1)
