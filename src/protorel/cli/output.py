"""Output of the command line: all text for people goes through here, or through `protorel.cli.console`.

Names in messages come from other people's data and files, so control characters in them are shown escaped.
"""

from __future__ import annotations

import io
import logging
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import typer

from protorel.io import WorkFailed, printable, safe_text

if TYPE_CHECKING:
    from protorel.model import ModelSource

_LONGEST = 4000
"""The longest error line: a message may quote a hostile file."""


class Evaluation(Protocol):
    """The common part of what every evaluation returns."""

    @property
    def as_json(self) -> dict[str, Any]:
        """Figures and settings."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on how to read the figures."""
        ...


def say(text: str, *, end: str = "\n") -> None:
    """Print a result to standard output."""
    typer.echo(safe_text(text) + end, nl=False)


def flush() -> None:
    """Write out what was printed, before work that does not end by itself."""
    sys.stdout.flush()


def say_unchanged(text: str) -> None:
    """Print data to standard output: unchanged to a file or pipe, escaped on a terminal."""
    typer.echo(safe_text(text) if sys.stdout.isatty() else text, nl=False)


def say_note(text: object) -> None:
    """Print a note on how to read the result to standard error."""
    typer.echo(f"note: {safe_text(str(text))}", err=True)


def complain(text: str, *, program: str = "protorel") -> None:
    """Print an error to standard error, in one line."""
    typer.echo(f"{program}: {printable(' '.join(text.split()), longest=_LONGEST)}", err=True)


def show_traceback(problem: BaseException) -> None:
    """Print the traceback of an error to standard error."""
    typer.echo(safe_text("".join(traceback.format_exception(problem))), err=True, nl=False)


class _ToStandardError(logging.Handler):
    """Writes to the current standard error, which a progress bar may have replaced."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.stderr.write(f"protorel: {printable(record.getMessage(), longest=_LONGEST)}\n")


def show_messages() -> None:
    """Show messages of the logger `protorel` from level INFO on, unless it has handlers already."""
    logger = logging.getLogger("protorel")
    if not logger.handlers:
        logger.addHandler(_ToStandardError())
        logger.setLevel(logging.INFO)


def use_safe_streams() -> None:
    """Replace the standard streams of this process by streams that fail neither on any text nor on a full disk.

    A character that the terminal's encoding lacks is shown escaped, also in warnings. The first time that standard
    output cannot be written raises `WorkFailed`; after that, output is dropped.
    """
    sys.stdout = _safe_stream(sys.stdout, "standard output")
    sys.stderr = _safe_stream(sys.stderr, None)
    warnings.showwarning = _show_warning


def finished(code: int, explain: Callable[[Exception], int]) -> int:
    """Flush standard output and return the exit code; `explain` returns it if that fails."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        return code or 1
    except WorkFailed as problem:
        return explain(problem)
    return code


class _Output(io.FileIO):
    """A file descriptor that fails once, with a message for people, and then drops all output."""

    def __init__(self, descriptor: int, name: str | None) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._called, self._failed = name, False

    def write(self, data: Any, /) -> int:
        if not self._failed:
            try:
                return super().write(data)
            except OSError as problem:
                self._failed = True
                if self._called is not None and isinstance(problem, BrokenPipeError):
                    raise
                if self._called is not None:
                    raise WorkFailed(f"{self._called}: cannot be written ({problem.strerror})") from problem
        return memoryview(data).nbytes


def _safe_stream(stream: TextIO, name: str | None) -> TextIO:
    try:
        descriptor = stream.fileno()
    except (AttributeError, OSError):  # closed, or not a file
        return stream
    raw = _Output(descriptor, name)
    buffered = io.BufferedWriter(raw)
    lines = name is None or raw.isatty()
    return io.TextIOWrapper(buffered, encoding=stream.encoding, errors="backslashreplace", line_buffering=lines)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    (file or sys.stderr).write(safe_text(warnings.formatwarning(message, category, filename, lineno, line)))


def report(found: Evaluation, json: Path | None, *, encoder: ModelSource | None = None) -> None:
    """Write the JSON form of an evaluation, if asked to, and print its notes.

    With `encoder`, a note says if the model is an encoder without relations.
    """
    from protorel.io import write_json

    if json is not None:
        write_json(json, found.as_json)
    if encoder is not None and encoder.record is None:
        say_note(f"{encoder.given}: an encoder without relations; it is used as it is")
    for note in found.notes:
        say_note(note)
