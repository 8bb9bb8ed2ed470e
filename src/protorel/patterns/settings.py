"""What Snowball is told."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from protorel.patterns.confidence import PatternConfidence, ratio


@dataclass(frozen=True, slots=True)
class SnowballSettings:
    """Snowball's thresholds, with the names of Agichtein and Gravano in brackets."""

    window: int = 3
    """Terms that are looked at before the first entity, and after the second."""
    longest_middle: int = 20
    shares: tuple[float, float, float] = (0.2, 0.6, 0.2)
    """How much left, middle and right count in a match; together 1."""
    threshold: float = 0.6
    """The least match of a context with a pattern (τ_sim)."""
    min_pairs: int = 2
    """A pattern that fewer pairs support is dropped (τ_sup)."""
    sure: float = 0.8
    """The least confidence at which a new pair is trusted in the next round (τ_t)."""
    rounds: int = 3
    """The most rounds."""
    most_clusters: int = 1000
    """The most clusters of a relation's contexts: a bound on memory."""
    confidence: PatternConfidence = ratio

    def as_json(self) -> dict[str, Any]:
        """Return all of it for a file."""
        return asdict(self) | {"confidence": self.confidence.__name__}
