"""A way that stands in a crowd of other relations' statements attracts queries that are not its own."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor

WEIGHT = 0.35
SHARE = 0.005
"""Chosen on FewRel's development relations, where 0.25 to 0.45 and 0.25 to 1 % are all within 0.3 points."""

_NUMBERS_AT_ONCE = 25_000_000
"""Cosines that are held in memory together: a crowd may be of any size."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Vectors of statements that belong to none of the ways, whatever the ways are."""

    vectors: Float[Tensor, "others width"]
    weight: float = WEIGHT
    share: float = SHARE

    def __post_init__(self) -> None:
        if not len(self.vectors):
            raise ValueError("a crowd of no statements was given, at least one is wanted")

    @property
    def nearest(self) -> int:
        """How many of the crowd are near: a fixed share, and at least one."""
        return max(1, round(self.share * len(self.vectors)))

    def handicap(self, support: Float[Tensor, "*episodes way shot width"]) -> Float[Tensor, "*episodes 1 way"]:
        """Return what is to be taken off the scores of each way, whatever the query.

        With z the way's prototype and N(z) the statements of the crowd that are nearest to it, it is
            weight · mean over o in N(z) of cos(o, z),
        the correction for hubs of cross-domain similarity local scaling (Conneau et al. 2018), on the side of the ways:
        that of the query is the same for all of them.
        """
        prototypes = F.normalize(F.normalize(support, dim=-1).mean(-2), dim=-1)
        others = F.normalize(self.vectors, dim=-1).T
        at_once = max(1, _NUMBERS_AT_ONCE // len(self.vectors))
        near = [(part @ others).topk(self.nearest).values.mean(-1) for part in prototypes.flatten(0, -2).split(at_once)]
        return self.weight * torch.cat(near).reshape(prototypes.shape[:-1]).unsqueeze(-2)
