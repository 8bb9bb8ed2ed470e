"""Progress for people: a bar on a terminal, a plain line now and then in a pipe."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from protorel.io import NowAndThen, Stopwatch


class TrainingProgress:
    """Shows step, loss, statements a second and the time left."""

    def __init__(self, console: Console, *, every_seconds: float = 10.0) -> None:
        self.console = console
        self._watch = Stopwatch()
        self._spoken = NowAndThen(self._watch, every_seconds)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("loss {task.fields[loss]:.3f} · {task.fields[rate]:.0f} statements/s ·"),
            TimeRemainingColumn(),
            console=console,
            get_time=lambda: self._watch.seconds,
        )
        self._task: TaskID | None = None
        self._statements = 0
        self._first: int | None = None

    def __enter__(self) -> TrainingProgress:
        if self.console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, step: int, steps: int, *, loss: float, statements: int) -> None:
        """Take note of a step that is done."""
        if self._first is None:
            self._first = step - 1
        self._statements += statements
        rate = self._watch.rate(self._statements)
        if self.console.is_terminal:
            self._show(step, steps, loss, rate)
        elif self._spoken.due(anyway=step == steps):
            left = self._watch.left(step - self._first, steps - self._first)
            self.console.print(
                f"step {step}/{steps}  loss {loss:.3f}  {rate:.0f} statements/s  {left:.0f} s left", highlight=False
            )

    def _show(self, step: int, steps: int, loss: float, rate: float) -> None:
        if self._task is None:
            self._task = self._bar.add_task("training", total=steps, loss=loss, rate=rate, completed=step)
        self._bar.update(self._task, completed=step, loss=loss, rate=rate)
