"""The way out of the command line: every text for a person passes here, or through `protorel.cli.console`.

Names in messages come from data and files of others, so control characters in them are shown escaped.
"""

from __future__ import annotations

import io
import logging
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

import typer

from protorel.io import WorkFailed, printable, safe_text

if TYPE_CHECKING:
    from protorel.model import ModelSource

_LONGEST = 4000
"""The longest line about a problem: a message may repeat what a hostile file holds."""


def say(text: str, *, end: str = "\n") -> None:
    """Print a result to standard output."""
    typer.echo(safe_text(text) + end, nl=False)


def say_unchanged(text: str) -> None:
    """Print data to standard output: unchanged to a file or pipe, escaped on a terminal."""
    typer.echo(safe_text(text) if sys.stdout.isatty() else text, nl=False)


def say_note(text: object) -> None:
    """Print what a reader of the result must know to standard error."""
    typer.echo(f"note: {safe_text(str(text))}", err=True)


def complain(text: str, *, program: str = "protorel") -> None:
    """Print to standard error, in one line, what went wrong."""
    typer.echo(f"{program}: {printable(' '.join(text.split()), longest=_LONGEST)}", err=True)


def show_traceback(problem: BaseException) -> None:
    """Print where a problem came from to standard error."""
    typer.echo(safe_text("".join(traceback.format_exception(problem))), err=True, nl=False)


class _ToStandardError(logging.Handler):
    """Writes to whatever standard error is at the moment: a progress bar may have taken its place."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.stderr.write(f"protorel: {printable(record.getMessage(), longest=_LONGEST)}\n")


def show_messages() -> None:
    """Show what the logger `protorel` says, from level INFO on, unless whoever runs the command has set it up."""
    logger = logging.getLogger("protorel")
    if not logger.handlers:
        logger.addHandler(_ToStandardError())
        logger.setLevel(logging.INFO)


def use_safe_streams() -> None:
    """Replace the standard streams of this process by ones that no text and no full disk can break.

    A character that the terminal's encoding lacks is shown escaped. When standard output cannot be written, this is
    `WorkFailed` once, and what follows is dropped; warnings are escaped like everything else.
    """
    sys.stdout = _safe_stream(sys.stdout, "standard output")
    sys.stderr = _safe_stream(sys.stderr, None)
    warnings.showwarning = _show_warning


def finished(code: int, explain: Callable[[Exception], int]) -> int:
    """Write out what is still held back, and return the exit code: `explain` gives it where that fails."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        return code or 1
    except WorkFailed as problem:
        return explain(problem)
    return code


class _Output(io.FileIO):
    """A file descriptor that fails once, with a line for people, and takes everything after that."""

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


def announce_encoder(source: ModelSource) -> None:
    """Print a note if a model is an encoder without relations."""
    if source.record is None:
        say_note(f"{source.given}: an encoder without relations; it is used as it is")
