"""How long work takes, how fast it goes and how much is left, whatever the clock does.

A clock can stand still between two looks, and some machines' clocks jump back after sleep or a move to another host.
Here a jump back counts as no time: what was counted stays, nothing is negative, nothing is divided by zero.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class Stopwatch:
    """Counts the seconds since it was made.

    Args:
        now: The clock, in seconds from anywhere; without one, the system's monotonic clock.

    >>> ticks = iter([100.0, 104.0, 7.0, 8.0])
    >>> watch = Stopwatch(lambda: next(ticks))
    >>> watch.seconds, watch.seconds, watch.seconds
    (4.0, 4.0, 5.0)
    """

    def __init__(self, now: Callable[[], float] | None = None) -> None:
        self._now = now or (lambda: time.monotonic())
        self._last, self._passed = self._now(), 0.0
        self._looking = Lock()

    @property
    def seconds(self) -> float:
        """The seconds so far; never fewer than at an earlier look."""
        with self._looking:  # a progress bar looks from a thread of its own
            now = self._now()
            self._passed += max(0.0, now - self._last)
            self._last = now
            return self._passed

    def rate(self, count: float) -> float:
        """Return how many there were per second; 0 where no time has passed."""
        seconds = self.seconds
        return count / seconds if seconds > 0 else 0.0

    def left(self, done: int, of: int) -> float:
        """Return how many seconds the rest will take if it goes on as it went; 0 where nothing is done yet."""
        return self.seconds / done * max(of - done, 0) if done > 0 else 0.0


class NowAndThen:
    """Says when it is time to speak again: after so many seconds of a stopwatch."""

    def __init__(self, watch: Stopwatch, every_seconds: float) -> None:
        self._watch, self._every = watch, every_seconds
        self._spoke = watch.seconds

    def due(self, *, anyway: bool = False) -> bool:
        """Tell whether it is time, or say `anyway`; if so, the wait begins again."""
        now = self._watch.seconds
        if not anyway and now - self._spoke < self._every:
            return False
        self._spoke = now
        return True
