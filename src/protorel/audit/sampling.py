"""Which statements to judge: a stratified random sample on the label score that can grow and keep what was judged.

Labels that are certainly right or certainly wrong teach little about the share of wrong ones; doubtful labels teach
much. So statements are divided into strata by score, and doubtful strata are sampled more densely (Neyman allocation).
The draws form one sequence: a sample of 150 is the start of a sample of 300 with the same seed, and judgements that
follow the sequence can stop anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from protorel.io import BadInput, check_count, check_type

STRATA = 8
"""The largest number of strata; scores with ties may give fewer."""
FLOOR = 4
"""The fewest statements of each stratum in a stratified sample: scores may be wrong where they are certain."""
DOUBT = 0.05
"""How wrong the scores are assumed to be: probabilities are moved into 0.05 to 0.95 before they guide the sampling."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Statements to judge, in the order in which they were drawn.

    Args:
        places: The place of each drawn statement in the scores.
        inclusion: The probability with which each of them was drawn, given the allocation to strata.
        stratum: The stratum of each of them; stratum 0 has the lowest scores.
        strata: The stratum of every statement, drawn or not.
        seed: The random seed.
    """

    places: NDArray[np.int64]
    inclusion: NDArray[np.float64]
    stratum: NDArray[np.int32]
    strata: NDArray[np.int32]
    seed: int = 0

    def __len__(self) -> int:
        return len(self.places)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of statements of each stratum."""
        return np.bincount(self.strata).astype(np.int64)

    @property
    def drawn(self) -> NDArray[np.int64]:
        """The number of drawn statements of each stratum."""
        return np.bincount(self.stratum, minlength=len(self.sizes)).astype(np.int64)


def draw_sample(scores: ArrayLike, size: int, *, seed: int = 0, strata: int = STRATA) -> Sample:
    """Draw statements to judge, doubtful labels with a higher probability.

    Args:
        scores: The probability that a label is right, by place; badly calibrated scores cost precision, not validity.
        size: How many to draw. A population that is not larger is drawn completely.
        seed: The random seed. The first places of a larger sample with the same seed are those of a smaller one.
        strata: The largest number of strata; 1 gives a plain random sample.

    Returns:
        Places in the order of the draws, with inclusion probabilities. Very small samples (up to two per stratum) are
        plain random samples and have one stratum.

    Raises:
        BadInput: no scores, a score outside 0 to 1, or a size below 1.

    >>> sample = draw_sample([0.1, 0.5, 0.6, 0.9, 0.95, 0.99], 3, seed=1)
    >>> len(sample), sample.inclusion.tolist()
    (3, [0.5, 0.5, 0.5])
    """
    values = checked_scores(scores, where="draw_sample: scores")
    check_count(size, where="draw_sample: size")
    check_count(strata, where="draw_sample: strata")
    check_type(seed, int, where="draw_sample: seed", expected="a whole number")
    if seed < 0:
        raise BadInput(f"draw_sample: seed: expected at least 0, got {seed}")
    size = min(size, len(values))
    numbers = np.random.default_rng(seed).random(len(values))  # one permanent random number per place
    order = np.argsort(numbers, kind="stable")
    of_all = score_strata(values, strata)
    plain = min(2 * (int(of_all.max()) + 1), len(values))
    if size <= plain or not of_all.any():
        places, of_all = order[:size], np.zeros_like(of_all)
    else:
        places = np.array(_sequence(order, of_all, spreads(values, of_all), plain, size))
    stratum = of_all[places]
    inclusion = np.bincount(stratum, minlength=int(of_all.max()) + 1) / np.bincount(of_all)
    return Sample(places.astype(np.int64), inclusion[stratum], stratum, of_all, seed)


def checked_scores(scores: ArrayLike, *, where: str) -> NDArray[np.float64]:
    """Return scores as an array; raise `BadInput` unless they are numbers from 0 to 1, at least one."""
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise BadInput(f"{where}: expected numbers from 0 to 1, got something else") from problem
    if values.ndim != 1 or not len(values):
        raise BadInput(f"{where}: expected one number per statement, got an array of shape {values.shape}")
    if len(bad := np.flatnonzero(~((values >= 0) & (values <= 1)))):
        raise BadInput(f"{where}: place {bad[0]}: expected a number from 0 to 1, got {values[bad[0]]}")
    return values


def score_strata(scores: NDArray[np.float64], strata: int = STRATA) -> NDArray[np.int32]:
    """Return the stratum of each score: equal sums of the square root of p(1 - p), after Dalenius and Hodges.

    Equal scores are in one stratum. A stratum with fewer than two times `FLOOR` statements joins its neighbour.
    """
    unique, index, counts = np.unique(scores, return_inverse=True, return_counts=True)
    weight = counts * _spread(unique)
    middle = (np.cumsum(weight) - weight / 2) / weight.sum()
    found = np.minimum((middle * strata).astype(np.int64), strata - 1)
    sizes = np.bincount(found, weights=counts, minlength=strata)
    joined, current, filled = np.zeros(strata, dtype=np.int32), 0, 0.0
    for number, there in enumerate(sizes):
        if filled >= 2 * FLOOR and sizes[number:].sum() >= 2 * FLOOR:
            current, filled = current + 1, 0.0
        joined[number] = current
        filled += there
    return np.asarray(joined[found][index], dtype=np.int32)


def spreads(scores: NDArray[np.float64], strata: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the standard deviation of the verdicts that the scores predict, per stratum."""
    return _spread(np.bincount(strata, weights=scores) / np.maximum(np.bincount(strata), 1))


def allocation(
    drawn: Sequence[int], sizes: Sequence[int], spread: Sequence[float], *, floor: int = FLOOR
) -> Iterator[int]:
    """Yield the stratum of each next draw, until all is drawn.

    First every stratum gets `floor` draws, the emptiest first. Then each draw goes where it reduces the variance of the
    estimate most (Wright's exact optimal allocation), so that the order does not depend on the final size.
    """
    counts = list(drawn)

    def gain(h: int) -> tuple[float, float]:
        if counts[h] >= sizes[h]:
            return (-1.0, 0.0)
        if counts[h] < floor:
            return (float(floor - counts[h]), sizes[h])
        return (0.0, sizes[h] * spread[h] / sqrt(counts[h] * (counts[h] + 1)))

    gains = [gain(h) for h in range(len(counts))]
    for _ in range(sum(sizes) - sum(counts)):
        best = max(range(len(gains)), key=gains.__getitem__)
        counts[best] += 1
        gains[best] = gain(best)
        yield best


def _sequence(
    order: NDArray[np.int64], strata: NDArray[np.int32], spread: NDArray[np.float64], plain: int, size: int
) -> list[int]:
    """Return the places in the order of the draws: a few plain random ones, then those of the allocation."""
    queues = [order[strata[order] == h].tolist() for h in range(len(spread))]
    places: list[int] = order[:plain].tolist()
    drawn = np.bincount(strata[places], minlength=len(spread)).tolist()
    ahead = [iter(queue[start:]) for queue, start in zip(queues, drawn, strict=True)]
    for h in allocation(drawn, [len(queue) for queue in queues], spread.tolist()):
        if len(places) == size:
            break
        places.append(next(ahead[h]))
    return places


def _spread(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    wrong = DOUBT + (1 - 2 * DOUBT) * (1 - scores)
    return np.asarray(np.sqrt(wrong * (1 - wrong)), dtype=np.float64)
