"""Projections of vectors on a plane: principal components, and t-SNE on as many as a machine can place in a minute."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.statements import BadInput

PERPLEXITY = 30
"""Perplexity of t-SNE, about the number of neighbours that stay close; less if there are few points."""
FITTED = 6_000
"""The most vectors that t-SNE is fitted to; others are placed next to their nearest fitted vectors."""
_START, _JITTER = 1e-4, 1e-6
_NEIGHBOURS, _ROWS, _SCATTER = 8, 2048, 0.3


def project(vectors: Float[Tensor, "n width"]) -> NDArray[np.float64]:
    """Return the first two principal components of each vector.

    The sign of a component is arbitrary, so its largest weight is made positive: equal vectors give equal maps.
    """
    given = vectors.detach().cpu().double().numpy()
    unfit = int((~np.isfinite(given)).any(axis=1).sum())
    if unfit:
        raise ValueError(f"expected finite vectors, got {unfit} of {len(given)} with a value that is not finite")
    places = np.zeros((len(given), 2))
    if given.size == 0:
        return places
    centred = given - given.mean(axis=0)
    axes = _principal_axes(centred)
    largest = np.abs(axes).argmax(axis=1)
    signs = np.where(axes[np.arange(len(axes)), largest] < 0, -1.0, 1.0)
    places[:, : len(axes)] = centred @ (axes * signs[:, None]).T
    return places


def _principal_axes(centred: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the first two axes; from the covariances where there are many rows, which needs far less memory."""
    if len(centred) <= 4 * centred.shape[1]:
        axes: NDArray[np.float64] = np.linalg.svd(centred, full_matrices=False)[2][:2]
        return axes
    return np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :2].T


def has_tsne() -> bool:
    """Tell whether openTSNE is installed."""
    return find_spec("openTSNE") is not None


def neighbour_map(vectors: Float[Tensor, "n width"], *, seed: int) -> NDArray[np.float64]:
    """Return the t-SNE coordinates of each vector.

    It starts from the principal components and runs on one thread with exact neighbours, so the same vectors and seed
    give the same map on one machine.

    Raises:
        BadInput: openTSNE is not installed.
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


def large_neighbour_map(
    vectors: Float[Tensor, "n width"], stars: Float[Tensor, "k width"], *, seed: int, fitted: int = FITTED
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the t-SNE coordinates of statements and prototypes, both unit vectors, however many statements there are.

    All prototypes and at most `fitted` sampled statements are placed by `neighbour_map`. Each other statement
    is placed near the weighted mean of its nearest statements among these.

    Raises:
        BadInput: openTSNE is not installed.
    """
    chosen = sampled(len(vectors), fitted, seed=seed)
    own = neighbour_map(torch.cat([vectors[torch.from_numpy(chosen)], stars]), seed=seed)
    places, prototypes = own[: len(chosen)], own[len(chosen) :]
    if len(chosen) == len(vectors):
        return places, prototypes
    found = np.empty((len(vectors), 2))
    others = np.setdiff1d(np.arange(len(vectors)), chosen)
    found[chosen] = places
    found[others] = _placed_between(vectors[torch.from_numpy(others)], vectors[torch.from_numpy(chosen)], places, seed)
    return found, prototypes


def _placed_between(
    vectors: Float[Tensor, "m width"], known: Float[Tensor, "n width"], places: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    """Return the mean place of each vector's nearest known vectors, the nearest counting most, slightly scattered."""
    count = min(_NEIGHBOURS, len(known))
    at = torch.from_numpy(places)
    found = []
    for start in range(0, len(vectors), _ROWS):
        cosines, nearest = (vectors[start : start + _ROWS] @ known.T).topk(count)
        weights = torch.softmax(20 * cosines.double(), dim=1)
        # The median is not drawn to the middle between two clusters as the mean is; the mean of the close ones is fine.
        middle = at[nearest].median(dim=1, keepdim=True).values
        far = (at[nearest] - middle).norm(dim=2)
        weights = weights * (far <= 2 * far.median(dim=1, keepdim=True).values + 1e-9)
        found.append((weights[..., None] * at[nearest]).sum(1) / weights.sum(1, keepdim=True))
    scatter = np.random.default_rng(seed).normal(scale=_SCATTER, size=(len(vectors), 2))
    return torch.cat(found).numpy() + scatter if found else scatter


def sampled(count: int, most: int, *, seed: int) -> NDArray[np.int64]:
    """Return at most `most` of the numbers from 0 to `count` - 1 in order, drawn at random where there are more."""
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng([seed, count, most]).choice(count, most, replace=False))


def perplexity(points: int) -> float:
    """Return the perplexity for a number of points: at most a third of them."""
    return max(1.0, min(float(PERPLEXITY), (points - 1) / 3))


def _tsne() -> Any:
    try:
        from openTSNE import TSNE
    except ImportError as problem:
        raise BadInput("a t-SNE map needs openTSNE; install it with: pip install 'protorel[report]'") from problem
    return TSNE
