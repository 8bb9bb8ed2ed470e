"""The settings of Snowball."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SnowballSettings:
    """Settings of Snowball, with the symbols of Agichtein and Gravano in brackets."""

    window: int = 3
    """The number of terms before the first entity, and after the second."""
    longest_middle: int = 20
    """The most terms between the entities; of more, both ends are kept."""
    shares: tuple[float, float, float] = (0.2, 0.6, 0.2)
    """The weights of left, middle and right in a match; their sum is 1."""
    threshold: float = 0.6
    """The lowest similarity at which a context matches a pattern (τ_sim)."""
    min_pairs: int = 2
    """The fewest pairs that must support a pattern (τ_sup)."""
    sure: float = 0.8
    """The lowest confidence at which a new pair is trusted in the next round (τ_t)."""
    rounds: int = 3
    """The most rounds."""
    most_clusters: int = 1000
    """The most clusters of a relation's contexts: a bound on memory."""

    def as_json(self) -> dict[str, Any]:
        """Return the settings, and the formula of the confidence, for JSON."""
        return asdict(self) | {"confidence": "ratio"}
