"""Dispersion of prototypes: the paper says that they spread uniformly over the sphere; this measures it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from protorel.geometry.similarity import cosine


@dataclass(frozen=True, slots=True)
class Dispersion:
    """Angles between prototypes, in degrees, and the angle of the widest possible spread."""

    mean_angle: float
    smallest_angle: float
    spread: float
    """The standard deviation of the angles."""
    ideal_angle: float
    """The angle between the corners of a regular simplex, the widest even spread."""
    uniformity: float
    """log mean exp(-2 · squared distance) over pairs (Wang and Isola 2020): lower is more uniform."""


def dispersion(prototypes: Float[Tensor, "relations width"]) -> Dispersion:
    """Measure the angles between all pairs of prototypes."""
    count = len(prototypes)
    if count < 2:
        raise ValueError(f"dispersion: expected at least 2 prototypes, got {count}")
    cosines = _pairs(prototypes.double()).clamp(-1, 1)
    angles = torch.rad2deg(torch.arccos(cosines))
    return Dispersion(
        mean_angle=angles.mean().item(),
        smallest_angle=angles.min().item(),
        spread=angles.std(correction=0).item(),
        ideal_angle=math.degrees(math.acos(-1 / (count - 1))),
        uniformity=uniformity(prototypes.double()).item(),
    )


def uniformity(prototypes: Float[Tensor, "relations width"]) -> Float[Tensor, ""]:
    """Return log mean exp(-2 · squared distance) over pairs of unit vectors (Wang and Isola 2020)."""
    return (-2 * (2 - 2 * _pairs(prototypes))).exp().mean().log()


def _pairs(prototypes: Float[Tensor, "relations width"]) -> Float[Tensor, " pairs"]:
    """Return the cosine of each pair of different prototypes."""
    upper = torch.triu_indices(len(prototypes), len(prototypes), offset=1)
    return cosine(prototypes, prototypes)[upper[0], upper[1]]
