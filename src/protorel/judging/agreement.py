"""How far judges agree, with others and with themselves: Krippendorff's alpha, Cohen's kappa, repeats.

Verdicts are compared as right, wrong or unclear; skipped statements are missing. Intervals are percentiles of a
bootstrap over statements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from protorel.audit import wilson_interval
from protorel.io import BadInput
from protorel.judging.verdicts import WRONG, JudgeHistory, Round

RESAMPLES = 1000
_CATEGORIES = 3  # right, wrong, unclear
_MISSING = -1


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient of agreement.

    Args:
        value: 1 for perfect agreement, 0 for that of chance; None where all verdicts are equal, which says nothing.
        low: The lower end of the 95 % interval; None likewise.
        high: The upper end of the 95 % interval; None likewise.
        statements: The number of statements with verdicts to compare.
    """

    value: float | None
    low: float | None
    high: float | None
    statements: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of all judges, of each pair of judges, and of each judge with earlier verdicts of their own.

    Args:
        alpha: Krippendorff's alpha over all judges; None with fewer than two.
        kappa: Cohen's kappa of each pair of judges.
        repeats: By judge, the share of repeated statements with the same verdict, its interval, and their number.
    """

    alpha: Coefficient | None
    kappa: Mapping[tuple[str, str], Coefficient]
    repeats: Mapping[str, tuple[float, float, float, int]]


def measure_agreement(histories: Mapping[str, JudgeHistory], *, seed: int = 0, resamples: int = RESAMPLES) -> Agreement:
    """Return how far the judges of an audit agree.

    Args:
        histories: The verdicts of each judge.
        seed: The random seed of the bootstrap.
        resamples: The number of bootstrap samples.

    Raises:
        BadInput: there are several judges and the package krippendorff is not installed.
    """
    table, judges = _table(histories, "first")
    several = [judge for judge, verdicts in zip(judges, table, strict=True) if (verdicts != _MISSING).any()]
    rows = {judge: table[judges.index(judge)] for judge in several}
    alpha = None
    if len(several) > 1:
        counts = np.stack([(table == category).sum(axis=0) for category in range(_CATEGORIES)], axis=1)
        comparable = counts[counts.sum(axis=1) > 1]
        alpha = _with_interval(comparable, krippendorff_alpha, seed, resamples)
    kappa = {}
    for one, other in combinations(several, 2):
        both = (rows[one] != _MISSING) & (rows[other] != _MISSING)
        pairs = np.stack([rows[one][both], rows[other][both]], axis=1)
        kappa[one, other] = _with_interval(pairs, cohen_kappa, seed, resamples)
    return Agreement(alpha, kappa, _self_consistency(histories))


def krippendorff_alpha(counts: NDArray[np.int64]) -> float | None:
    """Return Krippendorff's alpha for nominal data, by the package krippendorff.

    Args:
        counts: How many judges chose each category, one row per statement with at least two verdicts.

    Returns:
        Alpha, or None if all verdicts are equal.

    Raises:
        BadInput: the package is not installed.
    """
    try:
        from krippendorff import alpha
    except ModuleNotFoundError as problem:
        message = "this needs krippendorff; install it with: pip install 'protorel[audit]'"
        raise BadInput(message) from problem
    if np.count_nonzero(counts.sum(axis=0)) < 2:
        return None
    return float(alpha(value_counts=counts, level_of_measurement="nominal"))


def cohen_kappa(pairs: NDArray[np.int64]) -> float | None:
    """Return Cohen's kappa (1960) of two judges.

    Args:
        pairs: The two categories of each statement.

    Returns:
        Kappa, or None if both judges chose one and the same category throughout.
    """
    if not len(pairs):
        return None
    observed = float((pairs[:, 0] == pairs[:, 1]).mean())
    one, other = (np.bincount(column, minlength=_CATEGORIES) / len(pairs) for column in pairs.T)
    expected = float(one @ other)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _table(histories: Mapping[str, JudgeHistory], round: Round) -> tuple[NDArray[np.int64], list[str]]:
    """Return the category of each verdict, judges by statements, and the judges."""
    given = {
        judge: {place: verdict for (place, found), verdict in history.standing().items() if found == round}
        for judge, history in histories.items()
    }
    places = sorted({place for verdicts in given.values() for place in verdicts})
    rows = [
        [_category(verdicts[place].verdict) if place in verdicts else _MISSING for place in places]
        for verdicts in given.values()
    ]
    return np.array(rows, dtype=np.int64).reshape(len(given), len(places)), list(given)


def _category(verdict: str) -> int:
    if verdict == "skip":
        return _MISSING
    return {False: 0, True: 1, None: 2}[WRONG[verdict]]  # type: ignore[index]


def _with_interval(
    rows: NDArray[np.int64], coefficient: Callable[[NDArray[np.int64]], float | None], seed: int, resamples: int
) -> Coefficient:
    value = coefficient(rows) if len(rows) else None
    if value is None:
        return Coefficient(None, None, None, len(rows))
    random = np.random.default_rng(seed)
    drawn = [coefficient(rows[random.integers(len(rows), size=len(rows))]) for _ in range(resamples)]
    known = [one for one in drawn if one is not None]
    if len(known) < resamples / 2:  # nearly all verdicts are equal
        return Coefficient(value, None, None, len(rows))
    low, high = np.quantile(known, [0.025, 0.975])
    return Coefficient(value, float(low), float(high), len(rows))


def _self_consistency(histories: Mapping[str, JudgeHistory]) -> dict[str, tuple[float, float, float, int]]:
    found = {}
    for judge, history in histories.items():
        standing = history.standing()
        pairs: Sequence[tuple[int, int]] = [
            (_category(standing[place, "first"].verdict), _category(again.verdict))
            for (place, round), again in standing.items()
            if round == "repeat" and (place, "first") in standing
        ]
        pairs = [pair for pair in pairs if _MISSING not in pair]
        if pairs:
            same = sum(one == other for one, other in pairs)
            found[judge] = (same / len(pairs), *wilson_interval(same, len(pairs)), len(pairs))
    return found
