"""Checking and reading input: arguments of the expected type, and regular files that can be read.

Pipes, sockets and devices are refused: reading them may block or never end, and most files are read more than once.
"""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

from protorel.io.display import short_value
from protorel.io.errors import BadInput

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


def as_path(value: object, where: str = "path", *, expected: str = "a path") -> Path:
    """Return a path that a user passed, as a `Path`.

    Args:
        value: A string or a path.
        where: The name of the argument, for messages.
        expected: What the argument is, for messages.

    Raises:
        BadInput: it is neither, or empty.
    """
    if isinstance(value, str | os.PathLike) and value != "":
        place = os.fspath(value)
        if isinstance(place, str) and "\0" not in place:
            return Path(place)
    raise BadInput(f"{where}: expected {expected}, got {short_value(value)}")


def check_type(value: object, kind: type | tuple[type, ...], *, where: str, expected: str) -> None:
    """Raise `BadInput` unless an argument that a user passed is of the expected type; a bool is not a number."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind in (int, (int, float))):
        raise BadInput(f"{where}: expected {expected}, got {short_value(value)}")


def check_count(value: object, *, where: str) -> None:
    """Raise `BadInput` unless an argument that a user passed is a whole number of at least 1."""
    check_type(value, int, where=where, expected="a whole number")
    if value < 1:  # type: ignore[operator]
        raise BadInput(f"{where}: expected at least 1, got {value}")


def check_source(path: Path, *, folder: bool = False) -> None:
    """Check that a path is a regular file that can be read, or a folder if `folder` is set; links are followed.

    Raises:
        BadInput: it does not exist, is not a regular file, or cannot be read.
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
    """Open a regular file for reading bytes.

    Raises:
        BadInput: it does not exist, is not a regular file, or cannot be read.
    """
    _check_regular(path, _mode(path, "no such file"), "a file")
    try:
        # A pipe may have replaced the file since the check: opened this way it is refused and does not block.
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
        BadInput: it does not exist, is not a regular file, cannot be read, or has more than `most_bytes` bytes.
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
        BadInput: it does not exist, is not a regular file, cannot be read, is too large, or is not text.
    """
    try:
        return read_source(path, most_bytes=most_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise BadInput(f"{path}: cannot be read as text ({problem})") from problem


def is_there(path: Path) -> bool:
    """Tell whether a path exists; False if that cannot be determined."""
    return _found(path) is not None


def is_folder(path: Path) -> bool:
    """Tell whether a path is a folder; False if that cannot be determined."""
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
    except ValueError as problem:  # a NUL in a name from a file
        raise _unreadable(path, str(problem)) from problem


def _check_regular(path: Path, mode: int, expected: str) -> None:
    if not stat.S_ISREG(mode):
        raise BadInput(f"{path}: expected {expected}, got {_KINDS.get(stat.S_IFMT(mode), 'something else')}")


def _unreadable(path: Path, reason: str | None) -> BadInput:
    return BadInput(f"{path}: cannot be read ({reason})")
