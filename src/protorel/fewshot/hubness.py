"""Hubness correction: penalise classes that are close to many unrelated statements."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor

WEIGHT = 0.35
SHARE = 0.005
"""Chosen on FewRel's development relations, where 0.25 to 0.45 and 0.25 to 1 % are all within 0.3 points."""

_COSINES_AT_ONCE = 25_000_000
"""Cosines held in memory at a time."""


@dataclass(frozen=True, slots=True)
class HubnessCorrection:
    """Penalises hubs, by the vectors of statements that belong to none of the classes.

    Cross-domain similarity local scaling (Conneau et al. 2018, "Word translation without parallel data"). A class whose
    prototype is close to many unrelated statements attracts queries that are not its own. Its mean cosine to the
    nearest unrelated statements is therefore subtracted from its scores.
    """

    vectors: Float[Tensor, "others width"]
    weight: float = WEIGHT
    share: float = SHARE
    """Share of the statements that count as nearest to a class."""

    def __post_init__(self) -> None:
        if not len(self.vectors):
            raise ValueError("hubness correction: expected at least one statement, got none")

    @property
    def nearest(self) -> int:
        """The number of nearest statements: the share of all, and at least one."""
        return max(1, round(self.share * len(self.vectors)))

    def penalty(self, support: Float[Tensor, "*episodes way shot width"]) -> Float[Tensor, "*episodes 1 way"]:
        """Return what to subtract from the scores of each class.

        With z the prototype of the class and N(z) the unrelated statements nearest to it, it is
            weight · mean over o in N(z) of cos(o, z).
        The query's own term of the published correction is the same for all classes, so it is left out.
        """
        prototypes = F.normalize(F.normalize(support, dim=-1).mean(-2), dim=-1)
        others = F.normalize(self.vectors, dim=-1).T
        at_once = max(1, _COSINES_AT_ONCE // len(self.vectors))
        near = [(part @ others).topk(self.nearest).values.mean(-1) for part in prototypes.flatten(0, -2).split(at_once)]
        return self.weight * torch.cat(near).reshape(prototypes.shape[:-1]).unsqueeze(-2)
