"""The progress of a harvest: a bar on a terminal, a plain line now and then in a pipe."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.status import Status


class HarvestProgress:
    """Shows the stage, the shards that are done, and how many there are a minute."""

    def __init__(self, console: Console, *, every_seconds: float = 10.0) -> None:
        self.console, self.every_seconds = console, every_seconds
        self._status: Status = console.status("harvesting")
        self._stage = ""
        self._began = self._spoke = time.monotonic()

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
        now = time.monotonic()
        changed = stage != self._stage
        if changed:
            self._stage, self._began = stage, now
        rate = f", {60 * shards / (now - self._began):.0f} a minute" if shards and now > self._began else ""
        line = f"{stage}: {shards} shards{rate}" if shards else stage
        if self.console.is_terminal:
            self._status.update(line)
        elif changed or now - self._spoke >= self.every_seconds:
            self._spoke = now
            self.console.print(line, highlight=False)
