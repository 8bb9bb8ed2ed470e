"""Whitening: directions in which statements of one relation differ anyway count for less."""

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
    """A linear map of unit vectors, learned from relations other than those it is used on."""

    centre: Float[Tensor, " width"]
    matrix: Float[Tensor, "width width"]

    def __call__(self, vectors: Float[Tensor, "statements width"]) -> Float[Tensor, "statements width"]:
        """Return the vectors in the whitened space; compare them by cosine, as before."""
        return (F.normalize(vectors, dim=-1) - self.centre) @ self.matrix

    def turned(self, vectors: Float[Tensor, "texts width"]) -> Float[Tensor, "texts width"]:
        """Return vectors that keep their angles, seen along the axes of the whitened space, next to whitened ones."""
        return F.normalize(vectors, dim=-1) @ F.normalize(self.matrix, dim=0)


def fit_whitening(
    vectors: Float[Tensor, "statements width"],
    relations: Int[Tensor, " statements"],
    *,
    shrinkage: float = SHRINKAGE,
    centring: float = CENTRING,
) -> Whitening:
    """Learn the spread within relations, and divide by it: within-class covariance normalisation (Hatch et al. 2006).

    With W the covariance of unit vectors around the mean of their own relation, the map is
        (x - centring · mean) (W + shrinkage · tr(W)/width · I)^(-1/2).
    Shrinkage keeps directions that the background hardly fills from being blown up. Part of the common mean is taken
    off, all of it would also take off what new relations have in common with their examples.
    """
    unit = F.normalize(vectors.double(), dim=-1)
    own, place = relations.unique(return_inverse=True)
    counts = torch.bincount(place)
    if int(counts.max()) < 2:
        raise ValueError("no relation has two statements, so there is no spread within one to learn")
    means = torch.zeros(len(own), unit.shape[1], dtype=unit.dtype).index_add_(0, place, unit) / counts[:, None]
    around = unit - means[place]
    within = around.T @ around / len(around)
    within += shrinkage * within.trace() / len(within) * torch.eye(len(within), dtype=unit.dtype)
    scale, directions = torch.linalg.eigh(within)
    return Whitening((centring * unit.mean(0)).to(vectors.dtype), (directions * scale.rsqrt()).to(vectors.dtype))
