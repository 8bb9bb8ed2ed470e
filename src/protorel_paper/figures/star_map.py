"""Statements and prototypes on the plane by t-SNE, and how faithful the plane is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.report import project
from protorel.statements import BadInput
from protorel_paper.figures.relation_space import RelationSpace

PERPLEXITY = 30
"""Perplexity of t-SNE, about the number of neighbours that stay close; less if there are few points."""
_NEIGHBOURS, _ROWS = 10, 1024
_START, _JITTER = 1e-4, 1e-6


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


def neighbour_map(vectors: Float[Tensor, "n width"], *, seed: int) -> NDArray[np.float64]:
    """Return the t-SNE coordinates of each vector.

    It starts from the principal components and runs on one thread with exact neighbours, so the same vectors and seed
    give the same map on one machine.
    """
    tsne = _tsne()
    start = project(vectors)
    spread = start[:, 0].std() if len(start) else 0.0
    start = start / max(float(spread), 1e-12) * _START
    start += np.random.default_rng(seed).normal(scale=_JITTER, size=start.shape)
    if len(start) < 5:
        return start / _START
    made = tsne(
        perplexity=perplexity(len(start)),
        initialization=start,
        neighbors="exact",
        negative_gradient_method="bh",
        n_jobs=1,
        random_state=seed,
    ).fit(vectors.double().numpy())
    return np.array(made, dtype=np.float64)


def perplexity(points: int) -> float:
    """Return the perplexity for a number of points: at most a third of them."""
    return max(1.0, min(float(PERPLEXITY), (points - 1) / 3))


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


def _tsne() -> Any:
    try:
        from openTSNE import TSNE
    except ImportError as problem:
        raise BadInput("a t-SNE map needs openTSNE; install it with: pip install 'protorel[paper]'") from problem
    return TSNE
