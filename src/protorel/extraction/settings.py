"""Settings of an extraction that rarely change."""

from __future__ import annotations

from dataclasses import dataclass

from protorel.io import BadInput, shown
from protorel.statements import MAX_TEXT

UNCERTAIN_FROM = 0.2


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """Thresholds and bounds of an extraction.

    >>> ExtractionSettings(threshold=0.7).threshold
    0.7
    """

    threshold: float = 0.5
    """The least probability of a triple that is asserted; `min_precision` chooses another one."""
    uncertain_from: float = UNCERTAIN_FROM
    """The least probability of a triple that is reported as uncertain."""
    relations: tuple[str, ...] | None = None
    """The candidate relations; None: all that the model knows."""
    most_pairs: int = 1_000
    """Ordered pairs asked per sentence, nearest first; the others are counted as `over_cap`."""
    most_characters: int = 2_000
    """Longer windows are cropped around the pair before the model reads them."""
    pairs_at_a_time: int = 1_024
    """Ordered pairs per call of the model: more are faster and need more memory."""

    def __post_init__(self) -> None:
        for name in ("most_pairs", "most_characters", "pairs_at_a_time"):
            check_whole(getattr(self, name), name)
        for name in ("threshold", "uncertain_from"):
            check_share(getattr(self, name), name)
        if self.most_characters > MAX_TEXT:
            raise BadInput(f"most_characters: expected at most {MAX_TEXT}, got {self.most_characters}")


def check_whole(value: object, name: str) -> None:
    """Raise `BadInput` unless a value is a whole number of 1 or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BadInput(f"{name}: expected a whole number of 1 or more, got {shown(value)}")


def check_share(value: object, name: str) -> None:
    """Raise `BadInput` unless a value is a number above 0 and at most 1."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 1:
        raise BadInput(f"{name}: expected a number above 0 and at most 1, got {shown(value)}")
