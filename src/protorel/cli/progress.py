"""Progress displays: a bar on a terminal, a plain line now and then in a pipe. Also the closing lines of a training."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from protorel.io import Interrupted, NowAndThen, Stopwatch, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

Options = Iterable[tuple[str, Path | str | None]]
"""Options of a command by name, in order; None if not given."""


class _Bars:
    """Bars on a terminal, which start with the first task, or lines in a pipe."""

    def __init__(self, console: Console, *columns: Any, every_seconds: float) -> None:
        from rich.progress import Progress

        self.console, self.every_seconds = console, every_seconds
        self._watch = Stopwatch()
        self._line = NowAndThen(self._watch, every_seconds)
        total = self._watch
        self._bars = Progress(*columns, console=console, get_time=lambda: total.seconds)
        self._task: TaskID | None = None
        self._started = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._started:  # otherwise it would leave an empty line
            self._bars.stop()

    def _add(self, name: str, **fields: Any) -> TaskID:
        if not self._started:
            self._bars.start()
            self._started = True
        return self._bars.add_task(name, **fields)

    def _print(self, line: str) -> None:
        self.console.print(line, highlight=False)


class TrainingProgress(_Bars):
    """Shows step, loss, statements per second and the time left."""

    def __init__(self, console: Console, *, every_seconds: float = 10.0) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

        rate = TextColumn("loss {task.fields[loss]:.3f} · {task.fields[rate]:.0f} statements/s ·")
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn())
        super().__init__(console, *columns, every_seconds=every_seconds)
        self._statements = 0
        self._first: int | None = None

    def __call__(self, step: int, steps: int, *, loss: float, statements: int) -> None:
        """Show a finished step."""
        if self._first is None:
            self._first = step - 1
        self._statements += statements
        rate = self._watch.rate(self._statements)
        if self.console.is_terminal:
            if self._task is None:
                self._task = self._add("training", total=steps, loss=loss, rate=rate, completed=step)
            self._bars.update(self._task, completed=step, loss=loss, rate=rate)
        elif self._line.due(anyway=step == steps):
            left = self._watch.left(step - self._first, steps - self._first)
            self._print(f"step {step}/{steps}  loss {loss:.3f}  {rate:.0f} statements/s  {left:.0f} s left")


class CountProgress(_Bars):
    """Shows how many things are done and the time left; nothing if it is never called."""

    def __init__(self, console: Console, thing: str, *, every_seconds: float = 10.0) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        super().__init__(console, *columns, every_seconds=every_seconds)
        self._thing = thing

    def __call__(self, done: int, of: int) -> None:
        """Show how many are done."""
        if self.console.is_terminal:
            if self._task is None:
                self._task = self._add(f"{self._thing}s", total=of)
            self._bars.update(self._task, completed=done)
        elif self._line.due(anyway=done in (1, of)):
            self._print(f"{self._thing} {done}/{of}  {self._watch.left(done, of):.0f} s left")


class DemoProgress(_Bars):
    """Shows a bar per phase: how much of it is done, the loss while training, and the time."""

    def __init__(self, console: Console, *, every_seconds: float = 5.0) -> None:
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

        name, more = TextColumn("{task.description:<22}"), TextColumn("{task.fields[more]}")
        columns = (SpinnerColumn(finished_text="[green]✓[/]"), name, BarColumn(16), TimeElapsedColumn(), more)
        super().__init__(console, *columns, every_seconds=every_seconds)
        self._training: TrainingProgress | None = None

    def begin(self, name: str) -> None:
        """Show that a phase begins."""
        self._watch = Stopwatch()
        self._line = NowAndThen(self._watch, self.every_seconds)
        self._training = None
        if self.console.is_terminal:
            self._task = self._add(name, total=None, more="")
        else:
            self._print(name)

    def count(self, done: int, of: int) -> None:
        """Show how much of the phase is done."""
        left = f"{self._watch.left(done, of):.0f} s left" if done < of else ""
        if self._task is not None:
            self._bars.update(self._task, completed=done, total=of, more=f"{done:,}/{of:,}  {left}")
        elif self._line.due():
            self._print(f"  {done:,}/{of:,}  {left}".rstrip())

    def __call__(self, step: int, steps: int, *, loss: float, statements: int) -> None:
        """Show a finished training step."""
        if self._task is not None:
            self.count(step, steps)
            self._bars.update(self._task, more=f"{step}/{steps}  loss {loss:.3f}")
            return
        if self._training is None:  # work before the first step, such as class means, is not part of the rate
            self._training = TrainingProgress(self.console, every_seconds=self.every_seconds)
        self._training(step, steps, loss=loss, statements=statements)

    def end(self) -> None:
        """Show that the phase has ended."""
        if self._task is not None:
            total = self._bars.tasks[self._task].total or 1
            self._bars.update(self._task, completed=total, total=total)
        self._task = None


class HarvestProgress:
    """Shows the stage, the number of finished shards, and shards per minute."""

    def __init__(self, console: Console, *, every_seconds: float = 10.0) -> None:
        self.console = console
        self._status = console.status("harvesting")
        self._stage = ""
        self._watch = Stopwatch()
        self._line = NowAndThen(Stopwatch(), every_seconds)

    def __enter__(self) -> HarvestProgress:
        if self.console.is_terminal:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def __call__(self, stage: str, shards: int) -> None:
        """Show the current stage and its finished shards."""
        changed = stage != self._stage
        if changed:
            self._stage, self._watch = stage, Stopwatch()
        per_minute = self._watch.rate(60 * shards)
        rate = f", {per_minute:.0f} per minute" if per_minute else ""
        line = f"{stage}: {shards} shards{rate}" if shards else stage
        if self.console.is_terminal:
            self._status.update(line)
        elif self._line.due(anyway=changed):
            self.console.print(line, highlight=False)


@contextmanager
def resumable(verb: str, arguments: Iterable[str], options: Options, *, keep_state: bool) -> Iterator[None]:
    """Add the command that continues the run to the message of a training that is interrupted."""
    try:
        yield
    except Interrupted as stopped:
        given = [part for name, value in options if value is not None for part in (name, str(value))]
        kept = ["--keep-state"] if keep_state else []
        command = shlex.join(["protorel", verb, *arguments, *given, *kept, "--resume"])
        raise Interrupted(f"{stopped}. Continue with: {command}") from None


def removed_lines(leakage: Mapping[str, Any]) -> list[str]:
    """Return a line for each test set whose overlap was removed from the training data."""
    return [
        f"overlap with {printable(test['name'])} removed: {_shared(test['shared'])}"
        for test in leakage.get("apart_from", [])
        if test.get("shared")  # missing in averaged runs, where each run has its own
    ]


def used_line(record: Mapping[str, Any]) -> str:
    """Return how many statements a training used."""
    used = record["data"]
    return f"{used['statements']} statements used, {len(used['rejected'])} rejected, {used['unlabelled']} unlabelled"


def kept_lines(record: Mapping[str, Any]) -> list[str]:
    """Return a line on the training statements that a run keeps, if it keeps any."""
    if not (found := record.get("training_statements")):
        return []
    return [f"{found['kept']} of {found['of']} distinct training statements are kept as evidence"]


def best_epoch_lines(record: Mapping[str, Any]) -> list[str]:
    """Return a line on the best epoch, if there is one."""
    results = record["results"]
    if not (results.get("best_epoch") and record.get("dev")):
        return []
    each = " ".join(f"{100 * score:.1f}" for score in results.get("dev_scores") or [])
    best = f"epoch {results['best_epoch']} of {results.get('epochs')}"
    metric = record["recipe"].get("metric") or "micro F1 at the best threshold"
    score = f"{metric} on {record['dev']['statements']} dev statements"
    return [f"{best} was the best by {score}: {each} %"]


def _shared(shared: Mapping[str, Mapping[str, int]]) -> str:
    counts = {kind.replace("_", "-"): found["train_statements"] for kind, found in shared.items() if kind != "any"}
    parts = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    dropped = shared["any"]["train_statements"] if "any" in shared else 0
    return f"{dropped} statements ({parts})"
