"""Pair scoring: BERT-PAIR (Gao et al. 2019, "FewRel 2.0: Towards more challenging few-shot relation classification").

Query and example are read together, as one row with two parts, by the encoder itself: [CLS] query [SEP] example [SEP],
with entity markers in both. So every token of the one hears of every token of the other, in every layer. The first
token's last state is weighed and summed: how alike are they? A way's score is the mean over its examples. Any number of
ways and shots will do, but no statement has a vector that could be stored: each pair is read anew.

Gao et al. let two outputs say "the same" and "not the same". The second is for queries that belong to no way; without
these it takes no part, so there is one output here. A bias would count for every way alike, and so for none.
"""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float
from torch import Tensor, nn

from protorel.fewshot.episode_method import EpisodeMethod, Reads, Scored
from protorel.recipes import PairSettings

_PAIRS_AT_ONCE = 2_000
"""Pairs whose states are held in memory together while judging."""


class Pair(EpisodeMethod):
    """Queries answered by how alike query and example are to an encoder that reads both at once."""

    reads: ClassVar[Reads] = "pairs"

    def __init__(self, settings: PairSettings, width: int) -> None:
        super().__init__(settings, width)
        self.alike = nn.Linear(width, 1, bias=False)

    def episodes_at_once(self, way: int, shot: int) -> int:
        """Bound the pairs: each query, one a way, beside each example."""
        return max(1, _PAIRS_AT_ONCE // (way * way * shot))

    def forward(self, pairs: Float[Tensor, "episodes query way shot width"]) -> Scored:
        """Ask of each query and each example how alike they are."""
        logits: Tensor = self.alike(pairs).squeeze(-1)
        return Scored(logits.mean(-1))
