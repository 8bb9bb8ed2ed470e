"""The demo's progress: a bar per phase on a terminal, plain lines in a pipe."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from protorel.cli.progress import TrainingProgress
from protorel.io import NowAndThen, Stopwatch


class DemoProgress:
    """Shows each phase: how much of it is done, the loss while training, and the time."""

    def __init__(self, console: Console, *, every_seconds: float = 5.0) -> None:
        self.console, self.every_seconds = console, every_seconds
        self._whole = Stopwatch()
        self._bar = Progress(
            SpinnerColumn(finished_text="[green]✓[/]"),
            TextColumn("{task.description:<22}"),
            BarColumn(bar_width=16),
            TimeElapsedColumn(),
            TextColumn("{task.fields[more]}"),
            console=console,
            get_time=lambda: self._whole.seconds,
        )
        self._task: TaskID | None = None
        self._training: TrainingProgress | None = None
        self._start_phase()

    def __enter__(self) -> DemoProgress:
        if self.console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.console.is_terminal:  # else it would leave an empty line
            self._bar.stop()

    def _start_phase(self) -> None:
        self._phase = Stopwatch()
        self._spoken = NowAndThen(self._phase, self.every_seconds)

    def begin(self, name: str) -> None:
        """Show that a phase begins."""
        self._start_phase()
        self._training = None
        if self.console.is_terminal:
            self._task = self._bar.add_task(name, total=None, more="")
        else:
            self.console.print(name, highlight=False)

    def count(self, done: int, of: int) -> None:
        """Show how much of the phase is done."""
        left = f"{self._phase.left(done, of):.0f} s left" if done < of else ""
        if self._task is not None:
            self._bar.update(self._task, completed=done, total=of, more=f"{done:,}/{of:,}  {left}")
        elif self._spoken.due():
            self.console.print(f"  {done:,}/{of:,}  {left}".rstrip(), highlight=False)

    def __call__(self, step: int, steps: int, *, loss: float, statements: int) -> None:
        """Show a training step that is done."""
        if self._task is not None:
            self.count(step, steps)
            self._bar.update(self._task, more=f"{step}/{steps}  loss {loss:.3f}")
            return
        if self._training is None:  # what came before the first step, such as class means, is not part of its rate
            self._training = TrainingProgress(self.console, every_seconds=self.every_seconds)
        self._training(step, steps, loss=loss, statements=statements)

    def end(self) -> None:
        """Show that the phase is over."""
        if self._task is not None:
            total = self._bar.tasks[self._task].total or 1
            self._bar.update(self._task, completed=total, total=total)
        self._task = None
