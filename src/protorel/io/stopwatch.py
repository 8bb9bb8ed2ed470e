"""Elapsed time, speed and time left, robust against clocks that jump back.

A clock may not advance between two readings, and some machines' clocks jump back after sleep or a move to another
host. A jump back counts as no time: elapsed time never decreases, and nothing is divided by zero.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class Stopwatch:
    """Counts the seconds since its creation.

    Args:
        now: The clock, in seconds; by default the system's monotonic clock.

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
        """The seconds so far; they never decrease."""
        with self._looking:  # a progress bar reads it from its own thread
            now = self._now()
            self._passed += max(0.0, now - self._last)
            self._last = now
            return self._passed

    def rate(self, count: float) -> float:
        """Return `count` per second; 0 if no time has passed."""
        seconds = self.seconds
        return count / seconds if seconds > 0 else 0.0

    def left(self, done: int, of: int) -> float:
        """Return the estimated seconds for the rest, at the speed so far; 0 if nothing is done yet."""
        return self.seconds / done * max(of - done, 0) if done > 0 else 0.0


class NowAndThen:
    """Tells when a message is due: at most once every `every_seconds`."""

    def __init__(self, watch: Stopwatch, every_seconds: float) -> None:
        self._watch, self._every = watch, every_seconds
        self._last = watch.seconds

    def due(self, *, anyway: bool = False) -> bool:
        """Tell whether a message is due, or `anyway`; if so, the wait starts again."""
        now = self._watch.seconds
        if not anyway and now - self._last < self._every:
            return False
        self._last = now
        return True
