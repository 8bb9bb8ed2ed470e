"""An experiment on the terminal: which point comes now, how its training goes, what came of it all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from protorel.cli import Console, TrainingProgress, say_note

if TYPE_CHECKING:
    from protorel_paper.engine.point_plan import Progress


class Summary(Protocol):
    """What both experiments end with."""

    def as_json(self) -> dict[str, Any]:
        """Return the form of summary.json."""
        ...

    def as_markdown(self) -> str:
        """Return the form of summary.md."""
        ...


def watching(console: Console) -> Callable[[str], AbstractContextManager[TrainingProgress]]:
    """Return what an experiment tells of its points."""

    @contextmanager
    def watch(line: str) -> Iterator[TrainingProgress]:
        console.print(line, highlight=False, soft_wrap=True)
        with TrainingProgress(console) as progress:
            yield progress

    return watch


def say_notes(notes: tuple[str, ...], progress: Progress) -> None:
    """Say what a reader of the figures must know."""
    for note in notes:
        say_note(note)
    if progress.elsewhere:
        names = ", ".join(progress.elsewhere)
        say_note(f"{len(progress.elsewhere)} points are in work by another process: {names}")


def keep_summary(console: Console, summary: Summary, out: Path, progress: Progress, draw: Callable[[], None]) -> None:
    """Write and print the summary, and draw its curves where that can be done."""
    from protorel_paper.drawing.printed_figure import NoMatplotlib
    from protorel_paper.experiments.summary import write_summary

    write_summary(out, summary.as_json(), summary.as_markdown())
    try:
        draw()
    except NoMatplotlib as problem:
        say_note(f"no curves: {problem}")
    console.markdown(summary.as_markdown())
    done = f"{progress.made} points made, {len(progress.points)} finished in {out}"
    console.print(done, highlight=False, soft_wrap=True)
