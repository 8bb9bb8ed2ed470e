"""Whitening: directions in which statements of the same relation vary get less weight."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int
from torch import Tensor

SHRINKAGE = 4.0
CENTRING = 0.5
"""Chosen on FewRel's development relations; see results/README.md."""


@dataclass(frozen=True, slots=True)
class Whitening:
    """A linear map of unit vectors, fitted on other relations than those it is applied to."""

    centre: Float[Tensor, " width"]
    matrix: Float[Tensor, "width width"]

    def __call__(self, vectors: Float[Tensor, "statements width"]) -> Float[Tensor, "statements width"]:
        """Return the vectors in the whitened space; compare them by cosine."""
        return (F.normalize(vectors, dim=-1) - self.centre) @ self.matrix

    def turned(self, vectors: Float[Tensor, "texts width"]) -> Float[Tensor, "texts width"]:
        """Return vectors along the axes of the whitened space, with their angles unchanged."""
        return F.normalize(vectors, dim=-1) @ F.normalize(self.matrix, dim=0)


def fit_whitening(
    vectors: Float[Tensor, "statements width"],
    relations: Int[Tensor, " statements"],
    *,
    shrinkage: float = SHRINKAGE,
    centring: float = CENTRING,
) -> Whitening:
    """Fit within-class covariance normalisation (Hatch et al. 2006).

    With W the covariance of unit vectors around the mean of their own relation, the map is
        (x - centring · mean) (W + shrinkage · tr(W)/width · I)^(-1/2).
    Shrinkage keeps directions with little variance from being amplified. Only part of the common mean is subtracted:
    all of it would also remove what new relations share with their examples.
    """
    unit = F.normalize(vectors.double(), dim=-1)
    own, place = relations.unique(return_inverse=True)
    counts = torch.bincount(place)
    if int(counts.max()) < 2:
        raise ValueError("whitening: expected a relation with at least 2 statements, got none")
    means = torch.zeros(len(own), unit.shape[1], dtype=unit.dtype).index_add_(0, place, unit) / counts[:, None]
    around = unit - means[place]
    within = around.T @ around / len(around)
    within += shrinkage * within.trace() / len(within) * torch.eye(len(within), dtype=unit.dtype)
    scale, directions = torch.linalg.eigh(within)
    return Whitening((centring * unit.mean(0)).to(vectors.dtype), (directions * scale.rsqrt()).to(vectors.dtype))
