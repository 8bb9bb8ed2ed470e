"""Vectors on paper: the two directions in which they differ most."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor


def project(vectors: Float[Tensor, "n width"]) -> NDArray[np.float64]:
    """Return a place on the plane for each vector, by principal components.

    An axis may point either way, so each is turned until its largest weight is positive: equal vectors, equal map.
    """
    given = vectors.detach().cpu().double().numpy()
    unfit = int((~np.isfinite(given)).any(axis=1).sum())
    if unfit:
        raise ValueError(f"{unfit} of {len(given)} vectors hold a value that is not finite, finite ones are wanted")
    places = np.zeros((len(given), 2))
    if given.size == 0:
        return places
    centred = given - given.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
    largest = np.abs(axes).argmax(axis=1)
    signs = np.where(axes[np.arange(len(axes)), largest] < 0, -1.0, 1.0)
    places[:, : len(axes)] = centred @ (axes * signs[:, None]).T
    return places
