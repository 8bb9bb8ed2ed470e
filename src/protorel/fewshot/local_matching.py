"""MLMAN's first level: the words of a query and those of a way's examples are compared, each with the other's.

Ye and Ling 2019, "Multi-Level Matching and Aggregation Network for Few-Shot Relation Classification". A sentence is
not boiled down to one vector by itself: every word first looks for what resembles it in the other text, so the same
query is read in one way beside examples of `mother` and in another beside examples of `sport`.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from protorel.encoders import maximum, read_both_ways

Words = Float[Tensor, "sentences words hidden"]

CHUNKS = 4
"""Into how many pieces of like length sentences are cut, so that short ones pay for less padding."""


def soft_match(
    query: Float[Tensor, "*episodes query query_words hidden"],
    query_present: Bool[Tensor, "*episodes query query_words"],
    support: Float[Tensor, "*episodes way support_words hidden"],
    support_present: Bool[Tensor, "*episodes way support_words"],
) -> tuple[
    Float[Tensor, "*episodes query way query_words hidden"], Float[Tensor, "*episodes query way support_words hidden"]
]:
    """Return for each word what it finds in the other text, for every pair of a query and a way.

    With α_mn = q_m · c_n, the query's word m finds Σ_n softmax_n(α_mn) c_n, the way's word n finds
    Σ_m softmax_m(α_mn) q_m. All examples of a way stand behind each other as one text.
    """
    scores = torch.einsum("...qmd,...wnd->...qwmn", query, support)
    among_support = scores.masked_fill(~support_present[..., None, :, None, :], -math.inf).softmax(-1)
    among_query = scores.masked_fill(~query_present[..., :, None, :, None], -math.inf).softmax(-2)
    of_query = torch.einsum("...qwmn,...wnd->...qwmd", among_support, support)
    of_support = torch.einsum("...qwmn,...qmd->...qwnd", among_query, query)
    return of_query, of_support


def compared(own: Words, found: Words) -> Float[Tensor, "sentences words three_hidden"]:
    """Join what a word found, how far the two are apart and where they agree: [c̃; |c − c̃|; c ⊙ c̃]."""
    return torch.cat([found, (own - found).abs(), own * found], dim=-1)


class LocalAggregation(nn.Module):
    """From compared words to one vector a sentence: ReLU(W₁ [c; c̃; |c − c̃|; c ⊙ c̃]), an LSTM both ways, its pooling.

    The same sentence is read beside many others, and W₁'s part for the word itself is the same each time.
    """

    def __init__(self, hidden: int, width: int, *, dropout: float) -> None:
        super().__init__()
        self.project = nn.Linear(4 * hidden, width)
        self.forwards = nn.LSTM(width, width, batch_first=True)
        self.backwards = nn.LSTM(width, width, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.trains_in_bf16 = False
        """Whether the products of W₁ and of the LSTM are rounded to bfloat16 while it learns."""

    def forward(
        self,
        own: Float[Tensor, "texts words hidden"],
        present: Bool[Tensor, "texts words"],
        which: Int[Tensor, " sentences"],
        found: Words,
    ) -> Float[Tensor, "sentences four_width"]:
        """Return [maximum; mean] over the states of each sentence's words.

        `which` says of each sentence which text it is, `found` what its words found in the text it is read beside.
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
