"""Claims tested by comparisons that are paired over test relations; the verdict is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

from protorel.evaluation import Measurement, measure

Verdict = Literal["holds", "does not hold", "mixed", "not decided", "cannot be said"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two rows, and the difference between them in the direction of the claim."""

    of: str
    """Whose rows: recipe and starting encoder."""
    first: str
    second: str
    difference: Measurement
    """First minus second over test relations, the same on both sides."""

    @property
    def says(self) -> int:
        """1 for the claim, -1 against it, 0 if the interval contains zero."""
        return direction(self.difference)

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as plain values; the margin is null if there is only one relation."""
        return {"of": self.of, "first": self.first, "second": self.second, **difference_json(self.difference)}


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim and the comparisons that test it."""

    text: str
    comparisons: Sequence[Comparison]
    how: str
    """What is compared with what."""

    @property
    def verdict(self) -> Verdict:
        """Verdict over all comparisons; only differences beyond their interval count."""
        said = {comparison.says for comparison in self.comparisons}
        if not said:
            return "cannot be said"
        match (1 in said, -1 in said):
            case (True, True):
                return "mixed"
            case (True, False):
                return "holds"
            case (False, True):
                return "does not hold"
            case _:
                return "not decided"

    @property
    def words(self) -> str:
        """The verdict in one sentence, with the counts behind it."""
        if not self.comparisons:
            return f"{self.text}: {self.verdict}, no two points here can be compared ({self.how})."
        count = len(self.comparisons)
        clear = [sum(one.says == side for one in self.comparisons) for side in (1, -1)]
        mean = 100 * fmean(one.difference.value for one in self.comparisons)
        return (
            f"{self.text}: {self.verdict}. Of {count} comparison{'s' if count > 1 else ''} ({self.how}) "
            f"{clear[0]} are clearly for it, "
            f"{clear[1]} clearly against it, {count - sum(clear)} within their interval; "
            f"the mean difference is {signed(mean)} points."
        )

    def as_json(self) -> dict[str, Any]:
        """Return the claim, the verdict and every comparison."""
        return {
            "claim": self.text,
            "verdict": self.verdict,
            "words": self.words,
            "comparisons": [one.as_json() for one in self.comparisons],
        }


def direction(difference: Measurement) -> int:
    """Return 1 or -1 for a difference that is clearly above or below zero, 0 if its interval contains zero."""
    if abs(difference.value) <= difference.margin:
        return 0
    return 1 if difference.value > 0 else -1


def compare(of: str, first: str, second: str, ours: Mapping[str, float], theirs: Mapping[str, float]) -> Comparison:
    """Compare two rows by the differences of the relations that both have."""
    both = sorted(ours.keys() & theirs.keys())
    return Comparison(of, first, second, measure([ours[relation] - theirs[relation] for relation in both]))


def difference_json(difference: Measurement) -> dict[str, float | int | None]:
    """Return a difference and its margin as plain numbers; the margin of a single value is null."""
    margin = difference.margin if difference.count > 1 else None
    return {"difference": difference.value, "margin": margin, "count": difference.count}


def signed(points: float) -> str:
    """Return a difference with its sign."""
    return f"{points:+.1f}".replace("-", "−")
