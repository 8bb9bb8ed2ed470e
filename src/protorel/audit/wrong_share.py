"""The share of wrong labels with an interval, from the judgements of a sample.

The estimate is the stratified (Horvitz-Thompson) mean. Its interval is Wilson's with the effective sample size of the
design. In the variance each stratum has one more verdict than people gave, so that a stratum in which all verdicts
agree is not taken for certain: what the scores expect there, moved towards one half, further the more of the data is in
the stratum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from protorel.audit.sampling import Sample, allocation, checked_scores, spreads
from protorel.io import BadInput, short_value

Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
FEWEST = 10
"""The fewest verdicts on a relation for an estimate of its own."""


@dataclass(frozen=True, slots=True)
class WrongShare:
    """The estimated share of wrong labels.

    Args:
        value: The estimate.
        low: The lower end of the 95 % interval.
        high: The upper end of the 95 % interval.
        judged: The number of verdicts, true or false.
        missing: The number of drawn statements without one: unclear, or not judged yet. They are taken to be like the
            judged ones of their stratum.
        statements: The number of statements that the share is of.
        more_to_halve: How many more verdicts would halve the interval.
        relations: The estimates of relations; None where there are too few verdicts.

    >>> print(WrongShare(0.31, 0.26, 0.37, judged=150, missing=0, statements=2640, more_to_halve=450))
    31.0 % wrong (95 % interval 26.0 to 37.0)
    """

    value: float
    low: float
    high: float
    judged: int
    missing: int
    statements: int
    more_to_halve: int
    relations: Mapping[str, WrongShare | None] = field(default_factory=dict)

    @property
    def width(self) -> float:
        """The width of the interval."""
        return self.high - self.low

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} % wrong (95 % interval {100 * self.low:.1f} to {100 * self.high:.1f})"


def estimate_wrong_share(
    scores: ArrayLike, sample: Sample, wrong: Sequence[bool | None], *, relations: Sequence[str] | None = None
) -> WrongShare:
    """Estimate the share of wrong labels from verdicts on a sample.

    Args:
        scores: The scores that the sample was drawn from.
        sample: The sample.
        wrong: A verdict per drawn place, in the order of `sample.places`: True for a wrong label, False for a right
            one, None for an unclear one or none yet.
        relations: The label of every statement, for estimates per relation.

    Returns:
        The share with a 95 % interval.

    Raises:
        BadInput: there is no verdict, or their number or the number of scores or relations does not fit the sample.

    >>> from protorel.audit import draw_sample
    >>> scores = [0.2] * 50 + [0.9] * 50
    >>> sample = draw_sample(scores, 20)
    >>> print(estimate_wrong_share(scores, sample, [scores[place] < 0.5 for place in sample.places]))
    50.0 % wrong (95 % interval 44.0 to 56.0)
    """
    values = checked_scores(scores, where="estimate_wrong_share: scores")
    verdicts = _verdicts(wrong, len(sample))
    if len(sample.strata) != len(values):
        raise BadInput(
            f"estimate_wrong_share: scores: expected {len(sample.strata)} as in the sample, got {len(values)}"
        )
    given = ~np.isnan(verdicts)
    if not given.any():
        raise BadInput("estimate_wrong_share: expected a verdict on at least one drawn statement, got none")
    spread = spreads(values, sample.strata)
    by_scores = 1 - np.bincount(sample.strata, weights=values) / sample.sizes
    everywhere = np.ones(len(values), dtype=bool)
    whole = _Counts.of(sample, verdicts, everywhere, expected=by_scores, spread=spread)
    found: dict[str, WrongShare | None] = {}
    if relations is not None:
        if len(relations) != len(values):
            raise BadInput(f"estimate_wrong_share: relations: expected {len(values)}, got {len(relations)}")
        names, index = np.unique(np.asarray(relations, dtype=object).astype(str), return_inverse=True)
        enough = np.bincount(index[sample.places][given], minlength=len(names)) >= FEWEST
        for number, name in enumerate(names.tolist()):
            inside = index == number
            parts = _Counts.of(sample, verdicts, inside, expected=whole.smoothed, spread=spread)
            found[name] = parts.estimate() if enough[number] or parts.complete else None
    return whole.estimate(found)


def wilson_interval(wrong: int, judged: int, *, statements: int | None = None) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share from a plain random sample.

    Args:
        wrong: How many of the sample are wrong.
        judged: The size of the sample.
        statements: The size of the population, for the finite-population correction; None: infinite.

    Returns:
        The lower and the upper end.

    Raises:
        BadInput: the numbers are not 0 <= wrong <= judged <= statements, or judged is 0.

    >>> low, high = wilson_interval(30, 150)
    >>> print(f"{low:.3f} {high:.3f}")
    0.144 0.271
    """
    if not 0 <= wrong <= judged or judged < 1 or (statements is not None and statements < judged):
        raise BadInput(f"wilson_interval: expected 0 <= wrong <= judged, at least 1 judged, got {wrong} of {judged}")
    left = 1.0 if statements is None else (statements - judged) / max(statements - 1, 1)
    return _wilson(wrong / judged, judged / left if left else inf)


@dataclass(frozen=True, slots=True)
class _Counts:
    """Verdicts by stratum, with the share and the standard deviation that are expected before any verdict."""

    sizes: NDArray[np.int64]
    drawn: NDArray[np.int64]
    judged: NDArray[np.int64]
    wrong: NDArray[np.int64]
    expected: NDArray[np.float64]
    spread: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        sample: Sample,
        verdicts: NDArray[np.float64],
        inside: NDArray[np.bool_],
        *,
        expected: NDArray[np.float64],
        spread: NDArray[np.float64],
    ) -> _Counts:
        """Count the statements and verdicts of a part of the population."""
        length, here = len(sample.sizes), inside[sample.places]
        return cls(
            sizes=np.bincount(sample.strata[inside], minlength=length),
            drawn=np.bincount(sample.stratum[here], minlength=length),
            judged=np.bincount(sample.stratum[here & ~np.isnan(verdicts)], minlength=length),
            wrong=np.bincount(sample.stratum[here & (verdicts == 1)], minlength=length),
            expected=expected,
            spread=spread,
        )

    @property
    def complete(self) -> bool:
        return bool((self.judged == self.sizes).all())

    @property
    def smoothed(self) -> NDArray[np.float64]:
        """The share of wrong labels by stratum, with one more verdict than people gave."""
        doubt = (self.sizes / self.sizes.sum()) ** 2
        prior = (1 - doubt) * self.expected + doubt / 2
        return np.asarray((self.wrong + prior) / (self.judged + 1), dtype=np.float64)

    def estimate(self, relations: Mapping[str, WrongShare | None] | None = None) -> WrongShare:
        """Return the share with its interval; a stratum without a verdict has the expected share."""
        total = int(self.sizes.sum())
        weight = self.sizes / total
        share = np.where(self.judged > 0, self.wrong / np.maximum(self.judged, 1), self.expected)
        value = float(weight @ share)
        centre = float(weight @ self.smoothed)
        low, high = _wilson(value, self._effective(self.judged.tolist(), centre))
        known_wrong, known_right = int(self.wrong.sum()), int((self.judged - self.wrong).sum())
        low, high = max(low, known_wrong / total), min(high, 1 - known_right / total)
        judged = int(self.judged.sum())
        return WrongShare(
            value=value,
            low=min(low, value),
            high=max(high, value),
            judged=judged,
            missing=int(self.drawn.sum()) - judged,
            statements=total,
            more_to_halve=self._more_to_halve(value, centre, (high - low) / 2),
            relations=relations or {},
        )

    def _effective(self, judged: Sequence[int], centre: float) -> float:
        """Return the size of a plain random sample that would estimate as precisely."""
        total, variance = float(self.sizes.sum()), 0.0
        for size, count, share in zip(self.sizes.tolist(), judged, self.smoothed.tolist(), strict=True):
            if size > count:
                variance += (size / total) ** 2 * (1 - count / size) * share * (1 - share) / max(count - 1, 1)
        return centre * (1 - centre) / variance if variance > 0 else inf

    def _more_to_halve(self, value: float, centre: float, width: float) -> int:
        judged = self.judged.tolist()
        more = 0
        for stratum in allocation(judged, self.sizes.tolist(), self.spread.tolist()):
            low, high = _wilson(value, self._effective(judged, centre))
            if high - low <= width:
                return more
            judged[stratum] += 1
            more += 1
        return more


def _wilson(share: float, size: float) -> tuple[float, float]:
    shrink = 1 + Z**2 / size
    half = Z / shrink * sqrt(share * (1 - share) / size + (Z / (2 * size)) ** 2)
    centre = (share + Z**2 / (2 * size)) / shrink
    return max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share))


def _verdicts(wrong: Sequence[bool | None], count: int) -> NDArray[np.float64]:
    """Return verdicts as 1 (wrong), 0 (right) and NaN (none)."""
    if len(wrong) != count:
        raise BadInput(f"estimate_wrong_share: expected one verdict per drawn statement ({count}), got {len(wrong)}")
    for number, one in enumerate(wrong):
        if one is not None and not isinstance(one, bool | np.bool_):
            raise BadInput(
                f"estimate_wrong_share: verdict {number}: expected True, False or None, got {short_value(one)}"
            )
    return np.array([np.nan if one is None else float(one) for one in wrong], dtype=np.float64)
