"""Projection of vectors on their first two principal components."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor


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
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
    largest = np.abs(axes).argmax(axis=1)
    signs = np.where(axes[np.arange(len(axes)), largest] < 0, -1.0, 1.0)
    places[:, : len(axes)] = centred @ (axes * signs[:, None]).T
    return places
