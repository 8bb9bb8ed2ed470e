"""MLMAN: query and examples are matched word by word, sentence by sentence, and class by class."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from protorel.encoders import maximum, read_both_ways
from protorel.fewshot.episode_method import EpisodeMethod, Scored, TokenStates
from protorel.fewshot.method_settings import MLMANSettings

Words = Float[Tensor, "sentences words hidden"]

CHUNKS = 4
"""Batches, of similar lengths, that sentences are read in: less padding."""
_SENTENCES_AT_ONCE = 3000
"""Sentences that are read at a time in evaluation."""


class MLMAN(EpisodeMethod):
    """Multi-level matching of a query with the examples of each class.

    Ye and Ling 2019, "Multi-Level Matching and Aggregation Network for Few-Shot Relation Classification". Each word of
    the query attends to the words of a class's examples and vice versa; only then does a sentence become one
    vector. A small network scores each example against the query, and the prototype of the class is the mean of its
    examples weighted by that. The same network scores the prototype against the query, which is the score of the class.
    A second loss, `inconsistency`, pulls the examples of a class together.
    """

    rounds = True

    def __init__(self, settings: MLMANSettings, width: int) -> None:
        super().__init__(settings, width)
        self.weight_of_inconsistency = settings.inconsistency
        self.local = LocalAggregation(width, settings.width, dropout=settings.dropout)
        inner = nn.Linear(8 * settings.width, settings.width)
        self.fit = nn.Sequential(inner, nn.ReLU(), nn.Linear(settings.width, 1, bias=False))

    def learn_in_bf16(self) -> None:
        """Use bfloat16 where most of the time goes: in the reading of matched words."""
        self.local.trains_in_bf16 = True

    def episodes_at_once(self, way: int, shot: int) -> int:
        """Bound the sentences: each query is read with each class, and each class's examples with each query."""
        return max(1, _SENTENCES_AT_ONCE // (way * way * (shot + 1)))

    def forward(self, support: TokenStates, query: TokenStates) -> Scored:
        """Match words, then sentences, then classes."""
        queries, examples = self.sentences(support, query)
        weights = fit_to_query(self.fit, examples, queries).softmax(-1)
        prototype = (weights[..., None] * examples).sum(-2)
        scores = fit_to_query(self.fit, prototype[..., None, :], queries).squeeze(-1)
        cost = self.weight_of_inconsistency * inconsistency(examples, prototype)
        return Scored(scores, {"inconsistency": cost} if self.weight_of_inconsistency else {})

    def sentences(
        self, support: TokenStates, query: TokenStates
    ) -> tuple[Float[Tensor, "episodes query way width"], Float[Tensor, "episodes query way shot width"]]:
        """Return the vectors q̂ of the query and ŝ_k of each example, for each pair of a query and a class."""
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


def soft_match(
    query: Float[Tensor, "*episodes query query_words hidden"],
    query_present: Bool[Tensor, "*episodes query query_words"],
    support: Float[Tensor, "*episodes way support_words hidden"],
    support_present: Bool[Tensor, "*episodes way support_words"],
) -> tuple[
    Float[Tensor, "*episodes query way query_words hidden"], Float[Tensor, "*episodes query way support_words hidden"]
]:
    """Return what each word attends to in the other text, for every pair of a query and a class.

    With α_mn = q_m · c_n, word m of the query gets Σ_n softmax_n(α_mn) c_n, and word n of the class gets
    Σ_m softmax_m(α_mn) q_m. All examples of a class are concatenated to one text.
    """
    scores = torch.einsum("...qmd,...wnd->...qwmn", query, support)
    among_support = scores.masked_fill(~support_present[..., None, :, None, :], -math.inf).softmax(-1)
    among_query = scores.masked_fill(~query_present[..., :, None, :, None], -math.inf).softmax(-2)
    of_query = torch.einsum("...qwmn,...wnd->...qwmd", among_support, support)
    of_support = torch.einsum("...qwmn,...qmd->...qwnd", among_query, query)
    return of_query, of_support


def compared(own: Words, found: Words) -> Float[Tensor, "sentences words three_hidden"]:
    """Concatenate what a word attends to, the difference and the product: [c̃; |c − c̃|; c ⊙ c̃]."""
    return torch.cat([found, (own - found).abs(), own * found], dim=-1)


class LocalAggregation(nn.Module):
    """From matched words to one vector per sentence: ReLU(W₁ [c; c̃; |c − c̃|; c ⊙ c̃]), a bidirectional LSTM, pooling.

    A sentence is matched with many others; the part of W₁ for the word itself is computed once for all of them.
    """

    def __init__(self, hidden: int, width: int, *, dropout: float) -> None:
        super().__init__()
        self.project = nn.Linear(4 * hidden, width)
        self.forwards = nn.LSTM(width, width, batch_first=True)
        self.backwards = nn.LSTM(width, width, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.trains_in_bf16 = False
        """Whether the products of W₁ and of the LSTM use bfloat16 in training."""

    def forward(
        self,
        own: Float[Tensor, "texts words hidden"],
        present: Bool[Tensor, "texts words"],
        which: Int[Tensor, " sentences"],
        found: Words,
    ) -> Float[Tensor, "sentences four_width"]:
        """Return [maximum; mean] over the states of each sentence's words.

        `which` is the index of each sentence's text in `own`; `found` is what its words attend to in the other text.
        """
        with torch.autocast(own.device.type, torch.bfloat16, enabled=self.trains_in_bf16 and self.training):
            return self._in_chunks(own, present, which, found)

    def _in_chunks(self, own: Tensor, present: Tensor, which: Tensor, found: Words) -> Tensor:
        by_itself, by_finding = self.project.weight.split([own.shape[-1], 3 * own.shape[-1]], dim=1)
        projected = F.linear(own, by_itself, self.project.bias)
        lengths = present.sum(1)[which]
        order = torch.argsort(lengths, stable=True)
        pooled = []
        for chunk in torch.tensor_split(order, min(CHUNKS, len(order))):
            text, longest = which[chunk], int(lengths[chunk].max())
            seen = compared(own[:, :longest].index_select(0, text), found[:, :longest].index_select(0, chunk))
            mixed = projected[:, :longest].index_select(0, text) + F.linear(seen, by_finding)
            pooled.append(self._pooled(self.dropout(torch.relu(mixed)), present[text, :longest]))
        back = torch.empty_like(order)
        back[order] = torch.arange(len(order), device=order.device)
        return torch.cat(pooled)[back].to(own.dtype)

    def _pooled(
        self, mixed: Float[Tensor, "sentences words width"], present: Bool[Tensor, "sentences words"]
    ) -> Float[Tensor, "sentences four_width"]:
        states = read_both_ways(self.forwards, self.backwards, mixed, present.sum(1))
        where = present[..., None]
        mean = (states * where).sum(1, dtype=self.project.weight.dtype) / where.sum(1)
        return torch.cat([maximum(states, present), mean], dim=-1)


def fit_to_query(
    fit: nn.Module, instances: Float[Tensor, "*pairs instances width"], query: Float[Tensor, "*pairs width"]
) -> Float[Tensor, "*pairs instances"]:
    """Return v · ReLU(W₂ [ŝ; q̂]) for each instance ŝ and its query q̂."""
    queries = query[..., None, :].expand_as(instances)
    found: Tensor = fit(torch.cat([instances, queries], dim=-1))
    return found.squeeze(-1)


def inconsistency(
    examples: Float[Tensor, "*pairs shot width"], prototype: Float[Tensor, "*pairs width"]
) -> Float[Tensor, ""]:
    """Return the mean squared distance of a class's examples from its prototype."""
    return (examples - prototype[..., None, :]).square().sum(-1).mean()
