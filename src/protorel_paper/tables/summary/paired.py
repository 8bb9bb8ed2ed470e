"""Paired comparison of two rows on the same relations and episodes, and the packed answers that it needs."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation import Measurement, as_numbers, bootstrap_counts, bootstrap_measurement, measure
from protorel.statements import BadInput
from protorel_paper.engine import direction

_EXACT = 16
"""All signs are tried for up to this many relations; for more, 2 to this power are drawn."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The first row minus the second, evaluated on the same relations and episodes."""

    over_relations: Measurement
    """With Student's interval over relations: does it generalise to other relations?"""
    chance: float
    """Two-sided p of a sign-flip test over relations."""
    over_episodes: Measurement | None = None
    """With a bootstrap interval over episodes, if there are any: does it hold for other episodes?"""

    @property
    def value(self) -> float:
        """The difference over episodes, or over relations if there are no episodes."""
        return self.over_relations.value if self.over_episodes is None else self.over_episodes.value

    @property
    def says(self) -> int:
        """1 if the first row is clearly better, -1 if the second is, 0 if the interval contains zero.

        There are few relations and many episodes, so relations decide.
        """
        return direction(self.over_relations)

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
    """Compare two rows relation by relation, and episode by episode if there are any.

    The episodes of a row with fewer of them are the first ones of the other row; only those are compared.
    """
    if first.keys() != second.keys():
        raise BadInput(
            f"rows: expected the same test relations, got {sorted(first.keys() ^ second.keys())[0]!r} in one row only"
        )
    by_relation = [first[name] - second[name] for name in sorted(first)]
    over_episodes = None
    if first_episodes is not None and second_episodes is not None:
        both = min(len(first_episodes), len(second_episodes))
        over_episodes = _over_episodes(first_episodes[:both] - second_episodes[:both], seed=seed)
    return PairedDifference(measure(by_relation), sign_chance(by_relation, seed=seed), over_episodes)


def _over_episodes(differences: NDArray[np.float64], *, seed: int) -> Measurement:
    """Bootstrap over episodes: episodes with the same difference are interchangeable, so their counts are drawn."""
    values, counts = np.unique(differences, return_counts=True)
    redrawn = bootstrap_counts(counts, seed=seed) @ values / len(differences)
    return bootstrap_measurement(float(differences.mean()), redrawn, count=len(differences))


def sign_chance(differences: Sequence[float], *, seed: int = 0) -> float:
    """Return the two-sided p of a sign-flip test on the mean: if neither row is better, each sign may flip."""
    values = np.asarray(differences, dtype=np.float64)
    return float((np.abs(_signs(len(values), seed) @ values) >= abs(values.sum()) - 1e-12).mean())


@cache
def _signs(count: int, seed: int) -> NDArray[np.float64]:
    """Return sign vectors for `count` differences: all of them, or a sample."""
    if count <= _EXACT:
        bits = np.arange(2**count)[:, None] >> np.arange(count)
        return np.where(bits & 1, -1.0, 1.0)
    drawn = np.random.default_rng([seed, count]).choice((1.0, -1.0), size=(2**_EXACT, count))
    drawn[0] = 1  # the observed signs are one of them
    return drawn


def packed(right: NDArray[np.bool_]) -> str:
    """Return the number of right answers per episode as compressed bytes in base64, small enough for a cell."""
    counts = right.sum(axis=1).astype(np.uint8)
    return base64.b64encode(zlib.compress(counts.tobytes(), level=9)).decode("ascii")


def unpacked(text: str) -> NDArray[np.int64]:
    """Return the number of right answers per episode."""
    try:
        counts = np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), dtype=np.uint8)
    except (ValueError, zlib.error) as problem:
        raise BadInput(f"right_of_each_episode: cannot be unpacked ({problem})") from problem
    return counts.astype(np.int64)
