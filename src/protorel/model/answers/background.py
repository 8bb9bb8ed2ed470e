"""How vectors of ordinary statements lie: their mean and spread in any direction, so that prototypes can be compared.

A prototype made from words or from three examples has other cosines than a learned one. Measured against ordinary
statements, in standard deviations above their mean, the two are on one scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from protorel.io import BadInput

BACKGROUND = "background.safetensors"
"""The file of a calibrated run."""
_DIRECTIONS = 64
"""Principal directions that are kept; the spread in all others is one number."""
_LEAST_SPREAD = 1e-4


@dataclass(frozen=True, slots=True)
class Background:
    """Mean and spread of unit vectors of ordinary statements.

    Args:
        mean: Their mean.
        directions: Principal directions, each as long as the spread along it.
        rest: Variance along any direction that is not one of these.
    """

    mean: NDArray[np.float32]
    directions: NDArray[np.float32]
    rest: float

    @classmethod
    def of(cls, vectors: NDArray[np.floating]) -> Self:
        """Measure some vectors, of any length."""
        unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        mean = unit.mean(axis=0)
        variance, basis = np.linalg.eigh(np.cov(unit, rowvar=False, bias=True).reshape(unit.shape[1], -1))
        variance = np.maximum(variance, 0.0)
        kept = slice(max(0, len(variance) - _DIRECTIONS), None)
        others = variance[: kept.start]
        directions = (basis[:, kept] * np.sqrt(variance[kept])).T
        rest = float(others.mean()) if len(others) else 0.0
        # safetensors writes the memory of an array as it lies, so it must be in order.
        return cls(mean.astype(np.float32), np.ascontiguousarray(directions, dtype=np.float32), rest)

    def mean_and_spread(self, prototypes: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return mean and standard deviation of the cosine of ordinary statements to each prototype, a unit vector."""
        mean = prototypes.astype(np.float64) @ self.mean.astype(np.float64)
        along = prototypes.astype(np.float64) @ self.directions.T.astype(np.float64)
        spread = np.sqrt(np.square(along).sum(axis=1) + self.rest)
        return mean, np.maximum(spread, _LEAST_SPREAD)

    def save(self, folder: Path) -> None:
        """Write background.safetensors."""
        rest = np.asarray([self.rest], dtype=np.float32)
        save_file({"mean": self.mean, "directions": self.directions, "rest": rest}, folder / BACKGROUND)

    @classmethod
    def load(cls, folder: Path, *, width: int) -> Self:
        """Read what `save` wrote.

        Raises:
            BadInput: the file is damaged, or of vectors of another width.
        """
        path = folder / BACKGROUND
        try:
            found = load_file(path)
            mean, directions, rest = (found[name].astype(np.float32) for name in ("mean", "directions", "rest"))
        except Exception as problem:  # whatever safetensors makes of a file that it did not write
            raise BadInput(f"{path}: expected tensors mean, directions and rest, got a damaged file") from problem
        if mean.shape != (width,) or directions.ndim != 2 or directions.shape[1] != width or rest.shape != (1,):
            raise BadInput(f"{path}: expected vectors of the encoder's width {width}, got {mean.shape[-1:]}")
        if not all(np.isfinite(one).all() for one in (mean, directions, rest)) or rest[0] < 0:
            raise BadInput(f"{path}: expected finite numbers, got others")
        return cls(mean, directions, float(rest[0]))
