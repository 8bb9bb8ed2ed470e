"""One column of a row over its seeds: means, intervals, comparisons with another row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation import Measurement, measure
from protorel_paper.engine import over_seeds
from protorel_paper.tables.cells import Cell
from protorel_paper.tables.summary.paired import PairedDifference, paired_difference, unpacked


class ColumnCells:
    """The cells of one row that hold a figure for one column, by seed."""

    def __init__(self, cells: Iterable[Cell], column: str) -> None:
        self.column = column
        self.of_seed = {cell["seed"]: cell for cell in cells if column in cell["figures"]}

    def __bool__(self) -> bool:
        return bool(self.of_seed)

    @property
    def seeds(self) -> tuple[int, ...]:
        """Finished seeds."""
        return tuple(sorted(self.of_seed))

    @property
    def values(self) -> list[float]:
        """Figure of each seed."""
        return [self.of_seed[seed]["figures"][self.column]["value"] for seed in self.seeds]

    def figure(self) -> Measurement:
        """Return the mean over seeds, with the interval over episodes, each averaged over seeds.

        A figure without episodes has the interval over seeds, or its own if there is one seed.
        """
        if (episodes := self.of_episodes(self.seeds)) is not None:
            return measure(episodes)
        if len(self.of_seed) > 1:
            return measure(self.values)
        only = self.of_seed[self.seeds[0]]["figures"][self.column]
        return Measurement(only["value"], math.inf if only["margin"] is None else only["margin"], only["count"])

    def over_seeds(self) -> Measurement | None:
        """Return the interval over seeds; None for a single seed."""
        return over_seeds(self.values)

    def of_relations(self, seeds: Sequence[int]) -> dict[str, float]:
        """Return the figure of each relation, averaged over seeds."""
        held = [_per_relation(self.of_seed[seed], self.column) for seed in seeds]
        return {name: fmean(one[name] for one in held) for name in sorted(held[0])}

    def of_episodes(self, seeds: Sequence[int]) -> NDArray[np.float64] | None:
        """Return the accuracy per episode, averaged over seeds; None if there are no episodes."""
        cells = [self.of_seed[seed] for seed in seeds]
        if any("right_of_each_episode" not in cell for cell in cells):
            return None
        shares = [unpacked(cell["right_of_each_episode"]) / cell["settings"]["judged"]["way"] for cell in cells]
        found: NDArray[np.float64] = np.mean(shares, axis=0)
        return found

    def less(self, other: ColumnCells) -> PairedDifference | None:
        """Compare two rows by the seeds that both have; None if they have none in common."""
        both = sorted(self.of_seed.keys() & other.of_seed.keys())
        if not both:
            return None
        return paired_difference(
            self.of_relations(both), other.of_relations(both), self.of_episodes(both), other.of_episodes(both)
        )


def _per_relation(cell: Cell, column: str) -> Mapping[str, float]:
    found: Mapping[str, float] = (
        cell["per_relation_by_column"][column] if "per_relation_by_column" in cell else cell["per_relation"]
    )
    return found
