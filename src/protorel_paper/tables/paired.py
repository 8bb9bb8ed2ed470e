"""Two rows judged by the same episodes: is the one better than the other, or is it chance?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation import Measurement, as_numbers, bootstrap_counts, bootstrap_measurement, measure
from protorel.statements import BadInput

_EXACT = 16
"""Up to so many relations all signs are tried; of more, as many are drawn as these have."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The first row less the second, both judged by the same things."""

    over_relations: Measurement
    """With Student's interval over relations: would other relations say the same?"""
    chance: float
    """How often signs drawn by chance give relations a mean difference as large as this one, or larger."""
    over_episodes: Measurement | None = None
    """With the interval of redrawn episodes, where there are any: would other episodes of these relations say so?"""

    @property
    def value(self) -> float:
        """The difference: over episodes, or else over relations."""
        return self.over_relations.value if self.over_episodes is None else self.over_episodes.value

    @property
    def says(self) -> int:
        """1 where the first row is better beyond chance, -1 where the second is, 0 where nobody can tell.

        There are few relations and many episodes, so relations decide.
        """
        found = self.over_relations
        if abs(found.value) <= found.margin:
            return 0
        return 1 if found.value > 0 else -1

    def as_json(self) -> dict[str, Any]:
        """Return the difference as plain numbers."""
        return {
            "difference": self.value,
            "over_relations": as_numbers(self.over_relations),
            "p_over_relations": self.chance,
            "over_episodes": as_numbers(self.over_episodes) if self.over_episodes is not None else None,
        }


def paired_difference(
    first: Mapping[str, float],
    second: Mapping[str, float],
    first_episodes: NDArray[np.float64] | None = None,
    second_episodes: NDArray[np.float64] | None = None,
    *,
    seed: int = 0,
) -> PairedDifference:
    """Compare two rows by the figure that each has for every relation, and in every episode where there are any.

    Of a row that was judged by fewer episodes these are the other's first ones, and only those are compared.
    """
    if first.keys() != second.keys():
        raise BadInput(f"rows were judged by different relations: {sorted(first.keys() ^ second.keys())[0]!r}")
    by_relation = [first[name] - second[name] for name in sorted(first)]
    over_episodes = None
    if first_episodes is not None and second_episodes is not None:
        both = min(len(first_episodes), len(second_episodes))
        over_episodes = _over_episodes(first_episodes[:both] - second_episodes[:both], seed=seed)
    return PairedDifference(measure(by_relation), sign_chance(by_relation, seed=seed), over_episodes)


def _over_episodes(differences: NDArray[np.float64], *, seed: int) -> Measurement:
    """Redraw episodes; those of one difference are alike, so their counts are drawn."""
    values, counts = np.unique(differences, return_counts=True)
    redrawn = bootstrap_counts(counts, seed=seed) @ values / len(differences)
    return bootstrap_measurement(float(differences.mean()), redrawn, count=len(differences))


def sign_chance(differences: Sequence[float], *, seed: int = 0) -> float:
    """Return the two-sided p of a sign test on the mean: if neither row were better, each sign could be the other."""
    values = np.asarray(differences, dtype=np.float64)
    return float((np.abs(_signs(len(values), seed) @ values) >= abs(values.sum()) - 1e-12).mean())


@cache
def _signs(count: int, seed: int) -> NDArray[np.float64]:
    """Return ways to give each of so many differences a sign: all there are, or as many as are tried at most."""
    if count <= _EXACT:
        bits = np.arange(2**count)[:, None] >> np.arange(count)
        return np.where(bits & 1, -1.0, 1.0)
    drawn = np.random.default_rng([seed, count]).choice((1.0, -1.0), size=(2**_EXACT, count))
    drawn[0] = 1  # what was seen is one of the ways
    return drawn
