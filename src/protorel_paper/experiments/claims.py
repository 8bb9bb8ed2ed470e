"""A claim tested by comparisons, each paired over test relations: a verdict in words, computed and not written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

from protorel.evaluation import Measurement, measure

Verdict = Literal["holds", "does not hold", "mixed", "not decided", "cannot be said"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two rows of a table, and the difference between them in the direction of the claim."""

    of: str
    """Whose rows: recipe and starting encoder."""
    first: str
    second: str
    difference: Measurement
    """First less second, over test relations: the same relations on both sides."""

    @property
    def says(self) -> int:
        """1 for the claim, -1 against it, 0 where the interval holds zero."""
        if abs(self.difference.value) <= self.difference.margin:
            return 0
        return 1 if self.difference.value > 0 else -1

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as plain values; a margin that one relation cannot give is null."""
        return {"of": self.of, "first": self.first, "second": self.second, **difference_json(self.difference)}


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the paper and the comparisons that test it."""

    text: str
    comparisons: Sequence[Comparison]
    how: str
    """What is compared with what."""

    @property
    def verdict(self) -> Verdict:
        """What the comparisons say together; only differences beyond their interval decide."""
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
        """The verdict, and how it came about."""
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
        """Return claim, verdict and every comparison."""
        return {
            "claim": self.text,
            "verdict": self.verdict,
            "words": self.words,
            "comparisons": [one.as_json() for one in self.comparisons],
        }


def compare(of: str, first: str, second: str, ours: Mapping[str, float], theirs: Mapping[str, float]) -> Comparison:
    """Compare two rows by what each relation that both know gains or loses."""
    both = sorted(ours.keys() & theirs.keys())
    return Comparison(of, first, second, measure([ours[relation] - theirs[relation] for relation in both]))


def difference_json(difference: Measurement) -> dict[str, float | int | None]:
    """Return a difference and its margin as plain numbers; with one value there is no margin."""
    margin = difference.margin if difference.count > 1 else None
    return {"difference": difference.value, "margin": margin, "count": difference.count}


def signed(points: float) -> str:
    """Write a difference with its sign."""
    return f"{points:+.1f}".replace("-", "−")
