"""The progress of slow judging: a bar on a terminal, a plain line now and then in a pipe."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from protorel.io import NowAndThen, Stopwatch


class JudgingProgress:
    """Shows how many episodes are done, and the time left; says nothing where nobody tells it of any."""

    def __init__(self, console: Console, *, every_seconds: float = 10.0) -> None:
        self.console = console
        self._watch = Stopwatch()
        self._spoken = NowAndThen(self._watch, every_seconds)
        self._bar = Progress(
            TextColumn("episodes"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            get_time=lambda: self._watch.seconds,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> JudgingProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:  # else it would leave an empty line
            self._bar.stop()

    def __call__(self, done: int, of: int) -> None:
        """Take note of an episode that is done."""
        if self.console.is_terminal:
            if self._task is None:
                self._bar.start()
                self._task = self._bar.add_task("episodes", total=of)
            self._bar.update(self._task, completed=done)
        elif self._spoken.due(anyway=done in (1, of)):
            left = self._watch.left(done, of)
            self.console.print(f"episode {done}/{of}  {left:.0f} s left", highlight=False)
