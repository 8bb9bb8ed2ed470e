"""Pair scoring (BERT-PAIR): query and example are encoded together."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn

from protorel.fewshot.episode_method import EpisodeMethod, Scored
from protorel.fewshot.method_settings import PairSettings

_PAIRS_AT_ONCE = 2_000
"""Pairs whose states are held in memory at a time in evaluation."""


class Pair(EpisodeMethod):
    """Similarity from an encoder that reads query and example as one sequence.

    Gao et al. 2019, "FewRel 2.0: Towards more challenging few-shot relation classification". The encoder reads [CLS]
    query [SEP] example [SEP], with entity markers in both, and a linear layer scores the first token's last state. The
    score of a class is the mean over its examples, so any number of classes and examples works, but no vectors can be
    stored. Gao et al. have a second output for queries of no class; without such queries it plays no part.
    """

    def __init__(self, settings: PairSettings, width: int) -> None:
        super().__init__(settings, width)
        # A bias would be the same for all classes.
        self.alike = nn.Linear(width, 1, bias=False)

    def episodes_at_once(self, way: int, shot: int) -> int:
        """Bound the pairs of queries, one per class, and examples."""
        return max(1, _PAIRS_AT_ONCE // (way * way * shot))

    def forward(self, pairs: Float[Tensor, "episodes query way shot width"]) -> Scored:
        """Score each query with each example."""
        logits: Tensor = self.alike(pairs).squeeze(-1)
        return Scored(logits.mean(-1))
