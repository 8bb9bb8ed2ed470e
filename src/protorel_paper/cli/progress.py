"""Progress of tables and experiments on the terminal: what is made now, how its training goes, how it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from protorel.cli import Console, TrainingProgress, say_note
from protorel.io import WorkFailed

if TYPE_CHECKING:
    from protorel_paper.engine import Progress, Summary


def watching(console: Console) -> Callable[[str], AbstractContextManager[TrainingProgress]]:
    """Return a function that prints what is made now, and shows the progress of its training."""

    @contextmanager
    def watch(line: str) -> Iterator[TrainingProgress]:
        console.print(line, highlight=False, soft_wrap=True)
        with TrainingProgress(console) as progress:
            yield progress

    return watch


def say_outcome(progress: Progress) -> None:
    """Print notes and what another process is making; raise `WorkFailed` if something could not be made."""
    for note in progress.notes:
        say_note(note)
    if progress.elsewhere:
        say_note(f"another process is making {len(progress.elsewhere)}: {', '.join(progress.elsewhere)}")
    if progress.failed:
        raise WorkFailed(f"{len(progress.failed)} rows could not be made: {'; '.join(progress.failed)}")


def write_experiment(
    console: Console, progress: Progress, summary: Summary, out: Path, draw: Callable[[Path], None]
) -> None:
    """Write and print the summary of an experiment, and draw its curves if matplotlib is there."""
    from protorel_paper.drawing import NoMatplotlib
    from protorel_paper.engine import write_summary

    write_summary(out, "summary", summary.as_json(), summary.as_markdown())
    try:
        draw(out)
    except NoMatplotlib as problem:
        say_note(f"no curves: {problem}")
    console.markdown(summary.as_markdown())
    done = f"{progress.made} points made, {len(progress.results)} finished in {out}"
    console.print(done, highlight=False, soft_wrap=True)
