"""What a few-shot method on stored vectors is: examples and queries in, a score for each way out."""

from __future__ import annotations

from typing import Protocol

import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor


class VectorMethod(Protocol):
    """Judges queries by examples; keeps nothing. Leading axes count episodes."""

    def __call__(
        self, support: Float[Tensor, "*episodes way shot width"], query: Float[Tensor, "*episodes query width"]
    ) -> Float[Tensor, "*episodes query way"]:
        """Return a score for each query and way; the highest is the answer."""
        ...


def example_cosines(
    support: Float[Tensor, "*episodes way shot width"], query: Float[Tensor, "*episodes query width"]
) -> Float[Tensor, "*episodes query way shot"]:
    """Return the cosine of each query to each example."""
    way, shot = support.shape[-3:-1]
    examples = F.normalize(support, dim=-1).flatten(-3, -2)
    cosines: Tensor = F.normalize(query, dim=-1) @ examples.transpose(-1, -2)
    return cosines.reshape(*cosines.shape[:-1], way, shot)
