"""Vectors of an episode as its methods see them best: from the middle of its examples, in units of their spread.

Vectors of a young encoder lie close together, and all on one side of the origin. Beside labels, which are 0 or 1, their
differences would go unseen, and a layer that is silent for one of them would be silent for all and never learn again.
"""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor


def in_spreads(
    support: Float[Tensor, "episodes way shot width"], query: Float[Tensor, "episodes query width"]
) -> tuple[Float[Tensor, "episodes way shot width"], Float[Tensor, "episodes query width"]]:
    """Measure vectors from the mean of the episode's examples, in units of how far those spread about it."""
    mean = support.mean((1, 2))
    spread = (support - mean[:, None, None]).square().mean((1, 2, 3)).sqrt().clamp(min=1e-6)
    return (support - mean[:, None, None]) / spread[:, None, None, None], (query - mean[:, None]) / spread[
        :, None, None
    ]
