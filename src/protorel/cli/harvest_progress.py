"""The progress of a harvest: a bar on a terminal, a plain line now and then in a pipe."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.status import Status

from protorel.io import NowAndThen, Stopwatch


class HarvestProgress:
    """Shows the stage, the shards that are done, and how many there are a minute."""

    def __init__(self, console: Console, *, every_seconds: float = 10.0) -> None:
        self.console = console
        self._status: Status = console.status("harvesting")
        self._stage = ""
        self._watch, whole = Stopwatch(), Stopwatch()
        self._spoken = NowAndThen(whole, every_seconds)

    def __enter__(self) -> HarvestProgress:
        if self.console.is_terminal:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def __call__(self, stage: str, shards: int) -> None:
        """Take note of what is being done."""
        changed = stage != self._stage
        if changed:
            self._stage, self._watch = stage, Stopwatch()
        a_minute = self._watch.rate(60 * shards)
        rate = f", {a_minute:.0f} a minute" if a_minute else ""
        line = f"{stage}: {shards} shards{rate}" if shards else stage
        if self.console.is_terminal:
            self._status.update(line)
        elif self._spoken.due(anyway=changed):
            self.console.print(line, highlight=False)
