"""The one check of what is read: a regular file that may be read, said in one line and without waiting.

A pipe, a socket or a device may give nothing for ever, or never end, and most files here are read more than once.
"""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

from protorel.io.display import kind
from protorel.io.problems import BadInput

MOST_BYTES = 2**28
"""The largest file that is parsed as a whole."""
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe; write it to a file first",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def check_source(path: Path, *, folder: bool = False) -> None:
    """Refuse, before any work, what is not a file that can be read; with `folder`, a folder will do as well.

    Raises:
        BadInput: it is not there, not a regular file, or may not be read. Links are followed.
    """
    mode = _mode(path, "no such file or folder" if folder else "no such file")
    if folder and stat.S_ISDIR(mode):
        if not os.access(path, os.R_OK | os.X_OK):
            raise _unreadable(path, "Permission denied")
        return
    _check_regular(path, mode, "a file or a folder" if folder else "a file")
    if not os.access(path, os.R_OK):
        raise _unreadable(path, "Permission denied")


def open_source(path: Path) -> BufferedReader:
    """Open a regular file for reading its bytes, checked as `check_source` does.

    Raises:
        BadInput: it is not there, not a regular file, or may not be read.
    """
    _check_regular(path, _mode(path, "no such file"), "a file")
    try:
        # Something else may have taken the file's place: a pipe that is opened so is refused and not waited for.
        stream = os.fdopen(os.open(path, os.O_RDONLY | _NEVER_WAIT), "rb")
    except OSError as problem:
        raise _unreadable(path, problem.strerror) from problem
    try:
        _check_regular(path, os.fstat(stream.fileno()).st_mode, "a file")
    except BadInput:
        stream.close()
        raise
    return stream


def read_source(path: Path, *, most_bytes: int | None = None) -> bytes:
    """Return the bytes of a regular file.

    Raises:
        BadInput: it is not there, not a regular file, cannot be read, or has more than `most_bytes` bytes.
    """
    with open_source(path) as stream:
        try:
            content = stream.read(-1 if most_bytes is None else most_bytes + 1)
        except OSError as problem:
            raise _unreadable(path, problem.strerror) from problem
    if most_bytes is not None and len(content) > most_bytes:
        raise BadInput(f"{path}: expected at most {most_bytes:,} bytes, got more")
    return content


def read_text(path: Path, *, most_bytes: int = MOST_BYTES) -> str:
    """Return the text of a regular file in UTF-8, without a byte order mark.

    Raises:
        BadInput: it is not there, not a regular file, cannot be read, is too large, or is not text.
    """
    try:
        return read_source(path, most_bytes=most_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise BadInput(f"{path}: cannot be read as text ({problem})") from problem


def as_path(given: object, where: str, *, expected: str = "a folder") -> Path:
    """Return a path that a caller passed as text or as a `Path`.

    Raises:
        BadInput: it is something else, or no file can have this name; `where` is the name of the argument.
    """
    if not isinstance(given, (str, Path)):
        raise BadInput(f"{where}: expected {expected}, got {kind(given)}")
    if "\0" in str(given):
        raise BadInput(f"{where}: expected {expected}, got a name with a NUL character")
    return Path(given)


def is_there(path: Path) -> bool:
    """Tell whether there is something by that name; False where the system does not let us look."""
    return _found(path) is not None


def is_folder(path: Path) -> bool:
    """Tell whether a path is a folder; False where the system does not let us look."""
    return (found := _found(path)) is not None and stat.S_ISDIR(found)


def _found(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None


def _mode(path: Path, missing: str) -> int:
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(f"{path}: {missing}") from None
    except OSError as problem:
        raise _unreadable(path, problem.strerror) from problem
    except ValueError as problem:  # a NUL in a name that a file gave
        raise _unreadable(path, str(problem)) from problem


def _check_regular(path: Path, mode: int, expected: str) -> None:
    if not stat.S_ISREG(mode):
        raise BadInput(f"{path}: expected {expected}, got {_KINDS.get(stat.S_IFMT(mode), 'something else')}")


def _unreadable(path: Path, reason: str | None) -> BadInput:
    return BadInput(f"{path}: cannot be read ({reason})")
