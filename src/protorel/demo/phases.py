"""The phases of the demo: each is timed, and shown while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from protorel.io import Stopwatch


class PhaseWatcher(Protocol):
    """Shows the phases and their progress: lines on a terminal, or nothing."""

    def begin(self, name: str) -> None:
        """Show that a phase begins."""

    def count(self, done: int, of: int) -> None:
        """Show how much of the phase is done."""

    def __call__(self, step: int, steps: int, *, loss: float, statements: int) -> None:
        """Show a training step that is done."""

    def end(self) -> None:
        """Show that the phase is over."""


class Silent:
    """Shows nothing."""

    def begin(self, name: str) -> None:
        """Show nothing."""

    def count(self, done: int, of: int) -> None:
        """Show nothing."""

    def __call__(self, step: int, steps: int, *, loss: float, statements: int) -> None:
        """Show nothing."""

    def end(self) -> None:
        """Show nothing."""


class Phases:
    """Times phases one after the other.

    Attributes:
        seconds: The seconds of each phase that is over, by its name, in order.
        watch: Shows the phases; `run_demo` reports finished steps and statements to it.
    """

    def __init__(self, watch: PhaseWatcher | None = None) -> None:
        self.watch: PhaseWatcher = watch or Silent()
        self.seconds: dict[str, float] = {}
        self._whole = Stopwatch()

    @contextmanager
    def __call__(self, name: str) -> Iterator[PhaseWatcher]:
        """Time the block as the phase `name`; a second block of that name adds to it."""
        phase = Stopwatch()
        self.watch.begin(name)
        yield self.watch
        self.watch.end()
        self.seconds[name] = self.seconds.get(name, 0.0) + phase.seconds

    @property
    def total(self) -> float:
        """Seconds since this object was made."""
        return self._whole.seconds

    def in_words(self) -> str:
        """Return where the time went, the longest phases first; phases below 5 % are summed up."""
        total = sum(self.seconds.values())
        longest = dict(sorted(self.seconds.items(), key=lambda phase: -phase[1]))
        parts = [f"{name} {took:.0f} s" for name, took in longest.items() if took >= total / 20]
        rest = sum(took for took in longest.values() if took < total / 20)
        return ", ".join([*parts, f"the rest {rest:.0f} s"] if rest else parts)
