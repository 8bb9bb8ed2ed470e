"""Statements and prototypes on the plane by t-SNE, and how faithful the plane is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.report import neighbour_map, perplexity
from protorel_paper.figures.relation_space import RelationSpace

_NEIGHBOURS, _ROWS = 10, 1024


@dataclass(frozen=True, slots=True)
class Fidelity:
    """What the map preserves of the space, as shares."""

    neighbours_kept: float
    """Share of each point's ten nearest in the space that are among its ten nearest on the map."""
    own_in_space: float
    """Statements whose nearest prototype is that of their label."""
    own_on_map: float
    """Statements whose nearest star on the map is that of their label."""


@dataclass(frozen=True, slots=True)
class StarMap:
    """Places on the plane."""

    statements: NDArray[np.float64]
    stars: NDArray[np.float64]
    fidelity: Fidelity

    def as_json(self) -> dict[str, Any]:
        """Return the figures of the map for the JSON file."""
        return {
            "method": "t-SNE",
            "perplexity": perplexity(len(self.statements) + len(self.stars)),
            **asdict(self.fidelity),
        }


def star_map(space: RelationSpace, *, seed: int) -> StarMap:
    """Project statements and prototypes in one map."""
    both = torch.cat([space.vectors, space.prototypes])
    places = neighbour_map(both, seed=seed)
    statements, stars = np.split(places, [len(space.vectors)])
    own = space.own.numpy()
    to_stars = np.linalg.norm(statements[:, None] - stars[None], axis=-1)
    nearest = (space.vectors @ space.prototypes.T).argmax(dim=1).numpy()
    fidelity = Fidelity(
        neighbours_kept=neighbours_kept(both, places),
        own_in_space=float((nearest == own).mean()),
        own_on_map=float((to_stars.argmin(axis=1) == own).mean()),
    )
    return StarMap(statements, stars, fidelity)


def neighbours_kept(vectors: Float[Tensor, "n width"], places: NDArray[np.float64]) -> float:
    """Return the mean share of each vector's ten nearest that are among the ten nearest on the map."""
    count = min(_NEIGHBOURS, len(vectors) - 1)
    near = [_nearest(torch.as_tensor(points).double(), count) for points in (vectors, places)]
    return float(np.mean([len({*one} & {*other}) / count for one, other in zip(*near, strict=True)]))


def _nearest(points: Float[Tensor, "n width"], count: int) -> list[list[int]]:
    """Return the nearest other points of each point, in blocks of rows to bound memory."""
    found: list[list[int]] = []
    for start in range(0, len(points), _ROWS):
        distances = torch.cdist(points[start : start + _ROWS], points)
        mine = torch.arange(len(distances))
        distances[mine, start + mine] = torch.inf
        found += distances.topk(count, largest=False).indices.tolist()
    return found
