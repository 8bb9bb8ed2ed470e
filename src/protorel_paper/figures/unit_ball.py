"""Vectors of a few relations projected on three dimensions, and what the projection preserves."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel_paper.figures.relation_space import RelationSpace

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Survival:
    """What the ball preserves of the space; angles are in degrees."""

    squared_length: float
    """Mean share of a statement's squared length in the three directions."""
    prototype_angle_error: float
    """Mean difference between the angle of two prototypes in the space and on the ball."""
    own_angle: float
    """Mean angle of a statement to the prototype of its label, in the space."""
    own_angle_drawn: float


@dataclass(frozen=True, slots=True)
class UnitBall:
    """Unit vectors in three dimensions; the third points at the viewer."""

    prototypes: Points
    statements: Points
    own_angles: Points
    """Of each statement to the prototype of its label, in the space, in degrees."""
    other_angles: Points
    """Of each statement to each other prototype, in the space, in degrees."""
    survival: Survival

    def as_json(self) -> dict[str, Any]:
        """Return the figures of the ball for the JSON file."""
        return asdict(self.survival)


def unit_ball(space: RelationSpace) -> UnitBall:
    """Project on the three main directions of the prototypes, and normalise to length 1.

    Three prototypes span these directions, so the angles between them are exact. The ball is rotated until all
    prototypes face the viewer, the first one upwards.
    """
    prototypes, vectors = space.prototypes.double().numpy(), space.vectors.double().numpy()
    directions = np.linalg.svd(prototypes, full_matrices=False)[2][:3]
    flat_prototypes, flat_vectors = prototypes @ directions.T, vectors @ directions.T
    turn = _towards_viewer(unit(flat_prototypes))
    drawn = unit(flat_prototypes @ turn.T), unit(flat_vectors @ turn.T)
    own = space.own.numpy()
    angles = _angles(vectors, prototypes)
    mine = np.zeros_like(angles, dtype=bool)
    mine[np.arange(len(own)), own] = True
    pairs = np.triu_indices(len(prototypes), 1)
    survival = Survival(
        squared_length=float((flat_vectors**2).sum(axis=1).mean()),
        prototype_angle_error=float(
            np.abs(_angles(prototypes, prototypes) - _angles(drawn[0], drawn[0]))[pairs].mean()
        ),
        own_angle=float(angles[mine].mean()),
        own_angle_drawn=float(_angles(drawn[1], drawn[0])[mine].mean()),
    )
    return UnitBall(*drawn, angles[mine], angles[~mine], survival)


def unit(points: Points) -> Points:
    """Return points normalised to length 1; the origin stays."""
    stretched: Points = points / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-12)
    return stretched


def _angles(one: Points, other: Points) -> Points:
    return np.degrees(np.arccos(np.clip(one @ other.T, -1, 1)))


def _towards_viewer(prototypes: Points) -> Points:
    """Return the rotation or reflection that brings the centre of the prototypes to the front."""
    width = prototypes.shape[1]
    ahead = _orthogonal(prototypes.sum(axis=0), np.zeros((0, width)))
    up = _orthogonal(prototypes[0], ahead[None])
    right = _orthogonal(prototypes[1], np.stack([ahead, up]))
    return np.stack([right, up, ahead])


def _orthogonal(target: Points, to: Points) -> Points:
    """Return the unit vector closest to the target that is orthogonal to others; any if there is none."""
    for candidate in (target, *np.eye(len(target))):
        rest: Points = candidate - to.T @ (to @ candidate)
        if np.linalg.norm(rest) > 1e-6:
            found: Points = unit(rest[None])[0]
            return found
    raise ValueError(f"no direction is orthogonal to {len(to)} others in {len(target)} dimensions")
