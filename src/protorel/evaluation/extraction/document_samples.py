"""Bootstrap samples of documents, so that intervals respect that the pairs of a document are alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from protorel.evaluation.measurement import DRAWS, Measurement, bootstrap_measurement

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DocumentSamples:
    """How often each document occurs in each bootstrap sample."""

    weights: Numbers
    """One row per sample, one column per document."""

    @classmethod
    def draw(cls, documents: int, *, seed: int, draws: int = DRAWS) -> DocumentSamples:
        """Draw samples of as many documents as there are."""
        drawn = np.random.default_rng([seed, documents]).multinomial(
            documents, np.full(documents, 1 / documents), size=draws
        )
        return cls(drawn.astype(np.float64))

    @property
    def documents(self) -> int:
        """The number of documents."""
        return int(self.weights.shape[1])

    def per_document(self, values: ArrayLike, documents: NDArray[np.int64]) -> Numbers:
        """Return the sum of values in each document.

        Args:
            values: One value per item.
            documents: The number of the document of each item.
        """
        found = np.bincount(documents, weights=np.asarray(values, dtype=np.float64), minlength=self.documents)
        return found.astype(np.float64)

    def ratio(self, above: Numbers, below: Numbers) -> Measurement:
        """Return the ratio of two sums over documents; NaN if the lower sum is 0.

        Args:
            above: One number per document.
            below: One number per document.
        """
        return bootstrap_measurement(
            float(divide(above.sum(), below.sum())),
            divide(self.weights @ above, self.weights @ below),
            count=self.documents,
        )


def divide(above: ArrayLike, below: ArrayLike) -> Numbers:
    """Return a quotient, NaN where the divisor is 0.

    >>> divide(np.array([1.0, 1.0]), np.array([2.0, 0.0])).tolist()
    [0.5, nan]
    """
    above, below = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    found: Numbers = np.divide(above, below, out=np.full(np.broadcast(above, below).shape, np.nan), where=below != 0)
    return found
