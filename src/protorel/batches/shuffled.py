"""Batches over all the data: each row once an epoch, in an order of its own every time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass
class ShuffledBatches:
    """Gives the rows of batch number `step`, a pure function of the seed and the step.

    The last batch of an epoch holds what is left, so that every row comes up just once.
    """

    rows: NDArray[np.int64]
    batch_size: int
    seed: int
    _order: tuple[int, NDArray[np.int64]] | None = field(default=None, init=False, repr=False)

    @property
    def steps_per_epoch(self) -> int:
        """How many batches an epoch has."""
        return -(-len(self.rows) // self.batch_size)

    def batch(self, step: int) -> list[int]:
        """Return the rows of one batch."""
        epoch, place = divmod(step, self.steps_per_epoch)
        if self._order is None or self._order[0] != epoch:
            self._order = epoch, np.random.default_rng([self.seed, 4, epoch]).permutation(self.rows)
        start = place * self.batch_size
        chosen: list[int] = self._order[1][start : start + self.batch_size].tolist()
        return chosen
