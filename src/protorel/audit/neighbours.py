"""Agreement of neighbours: how many of the most similar statements have the same label."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray

from protorel.audit.relation_anchors import Vectors

SHARPNESS = 10.0
"""The factor on cosines in a neighbour's weight, exp(10 cos): closer neighbours count more."""
_CELLS = 2**22
"""Most cosines that are held at once."""


@torch.no_grad()
def neighbour_agreement(
    vectors: Vectors, labels: NDArray[np.int64], sentences: NDArray[np.int64], *, neighbours: int
) -> Vectors:
    """Return the weighted share of each statement's nearest neighbours that have its label.

    A statement with the same sentence is never a neighbour: it says the same by construction.

    Args:
        vectors: One vector per statement.
        labels: The relation of each statement.
        sentences: The sentence of each statement.
        neighbours: How many neighbours are asked; fewer if there are fewer other sentences.

    Returns:
        One share per statement; 0.5 for a statement without neighbours.
    """
    unit = F.normalize(torch.from_numpy(vectors), dim=-1)
    owned, said = torch.from_numpy(labels), torch.from_numpy(sentences)
    count = min(neighbours, len(labels) - 1)
    if count < 1:
        return np.full(len(labels), 0.5, dtype=np.float32)
    shares = np.empty(len(labels), dtype=np.float32)
    block = max(1, _CELLS // len(labels))
    for start in range(0, len(labels), block):
        rows = slice(start, start + block)
        cosines = unit[rows] @ unit.T
        cosines.masked_fill_(said[rows, None] == said, -torch.inf)
        near = cosines.topk(count, dim=1)
        weights = (SHARPNESS * near.values).exp()
        agree = (owned[near.indices] == owned[rows, None]) * weights
        total = weights.sum(1)
        shares[rows] = torch.where(total > 0, agree.sum(1) / total, 0.5).numpy()
    return shares
