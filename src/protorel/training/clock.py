"""How long a run takes, over all the pieces that it is made in."""

from __future__ import annotations

from collections.abc import Callable

from protorel.io import Stopwatch


class Clock:
    """Counts seconds from where it is made; a run that is resumed goes on from what its checkpoint says.

    What a kill throws away is done again, and counted then: the seconds are those of a run that was never killed.
    """

    def __init__(self, now: Callable[[], float] | None = None) -> None:
        self._watch, self._before = Stopwatch(now), 0.0

    @property
    def seconds(self) -> float:
        """The seconds so far, to a tenth."""
        return round(self._before + self._watch.seconds, 1)

    def go_on_from(self, seconds: float) -> None:
        """Count what was done before on top."""
        self._before = seconds
