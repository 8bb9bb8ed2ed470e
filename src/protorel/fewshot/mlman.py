"""MLMAN: a query and the examples of each way are read together, and a learned comparison scores them.

Ye and Ling 2019, "Multi-Level Matching and Aggregation Network for Few-Shot Relation Classification". A Prototypical
Network makes a vector of each sentence by itself and then measures distances. MLMAN looks at query and examples three
times, closest first:

1. words: each word of the query is compared with the words of the way's examples, and the other way round
   (`local_matching.py`); only then does a sentence become one vector, q̂ for the query, ŝ_k for example k;
2. sentences: a small network says how well each example fits the query, and the way's prototype is the mean of its
   examples weighted by that, so that an example that says nothing about this query counts for little;
3. ways: the same network says how well the prototype fits the query. That is the score.

Besides the cross-entropy of the scores there is a second cost: the examples of a way should come out alike.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from protorel.fewshot.episode_method import EpisodeMethod, Scored, TokenStates
from protorel.fewshot.local_matching import LocalAggregation, soft_match
from protorel.recipes import MLMANSettings

_SENTENCES_AT_ONCE = 3000
"""Sentences that are read beside each other in one go while judging."""


class MLMAN(EpisodeMethod):
    """Scores every query of an episode against every way, given the states of their words."""

    reads = "states"
    rounds = True

    def __init__(self, settings: MLMANSettings, width: int) -> None:
        super().__init__(settings, width)
        self.weight_of_inconsistency = settings.inconsistency
        self.local = LocalAggregation(width, settings.width, dropout=settings.dropout)
        inner = nn.Linear(8 * settings.width, settings.width)
        self.fit = nn.Sequential(inner, nn.ReLU(), nn.Linear(settings.width, 1, bias=False))

    def learn_in_bf16(self) -> None:
        """Round where most of its time goes: in the reading of compared words."""
        self.local.trains_in_bf16 = True

    def episodes_at_once(self, way: int, shot: int) -> int:
        """Bound the sentences: each query is read beside each way, and each way's examples beside each query."""
        return max(1, _SENTENCES_AT_ONCE // (way * way * (shot + 1)))

    def forward(self, support: TokenStates, query: TokenStates) -> Scored:
        """Match words, then sentences, then ways."""
        queries, examples = self.sentences(support, query)
        weights = fit_to_query(self.fit, examples, queries).softmax(-1)
        prototype = (weights[..., None] * examples).sum(-2)
        scores = fit_to_query(self.fit, prototype[..., None, :], queries).squeeze(-1)
        cost = self.weight_of_inconsistency * inconsistency(examples, prototype)
        return Scored(scores, {"inconsistency": cost} if self.weight_of_inconsistency else {})

    def sentences(
        self, support: TokenStates, query: TokenStates
    ) -> tuple[Float[Tensor, "episodes query way width"], Float[Tensor, "episodes query way shot width"]]:
        """Return q̂ and every ŝ_k, for each pair of a query and a way."""
        found_by_query, found_by_support = soft_match(
            query.states, query.present, support.states.flatten(2, 3), support.present.flatten(2, 3)
        )
        pairs, shot = found_by_query.shape[:3], support.states.shape[2]
        device = query.states.device
        asked = torch.arange(math.prod(pairs[:2]), device=device)
        shown = torch.arange(math.prod(support.states.shape[:3]), device=device).reshape(support.states.shape[:3])
        queries = self.local(
            query.states.flatten(0, 1),
            query.present.flatten(0, 1),
            asked.repeat_interleave(pairs[2]),
            found_by_query.flatten(0, 2),
        )
        examples = self.local(
            support.states.flatten(0, 2),
            support.present.flatten(0, 2),
            shown[:, None].expand(-1, pairs[1], -1, -1).flatten(),
            found_by_support.unflatten(3, support.states.shape[2:4]).flatten(0, 3),
        )
        return queries.unflatten(0, pairs), examples.unflatten(0, (*pairs, shot))


def fit_to_query(
    fit: nn.Module, instances: Float[Tensor, "*pairs instances width"], query: Float[Tensor, "*pairs width"]
) -> Float[Tensor, "*pairs instances"]:
    """Return v · ReLU(W₂ [ŝ; q̂]) for each instance ŝ beside its query q̂."""
    beside = query[..., None, :].expand_as(instances)
    found: Tensor = fit(torch.cat([instances, beside], dim=-1))
    return found.squeeze(-1)


def inconsistency(
    examples: Float[Tensor, "*pairs shot width"], prototype: Float[Tensor, "*pairs width"]
) -> Float[Tensor, ""]:
    """Return how far a way's examples lie from its prototype: the squared distance, averaged over all of them."""
    return (examples - prototype[..., None, :]).square().sum(-1).mean()
