"""What the system says while files are written or read, as one line: a path that cannot be used, or a disk that fails.

Libraries in other languages report the same failures in their own exceptions. Those are recognised by their text, so
that nothing heavy is imported here.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from protorel.io.problems import BadInput, WorkFailed

_BAD_PATH = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR}) | {
    errno.ELOOP,
    errno.EEXIST,
    errno.ENOTEMPTY,
    errno.EINVAL,
    errno.ENXIO,
}
"""What is wrong with a path that was given."""
_FAILED = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.ENOENT, errno.ESTALE})
"""What is wrong with a disk, or with what others do to it."""
_ELSEWHERE = (ConnectionError, TimeoutError, ChildProcessError, ProcessLookupError, InterruptedError)
"""Errors of the system that have nothing to do with files."""
_IN_WORDS = {os.strerror(number): number for number in sorted(_FAILED | {errno.EACCES, errno.EROFS})} | {
    "database or disk is full": errno.ENOSPC,
    "disk I/O error": errno.EIO,
}
"""How libraries with exceptions of their own report the same."""
_FOREIGN = ("duckdb", "_duckdb", "sqlite3", "safetensors", "safetensors_rust", "pyarrow", "py4j", "pyspark")
"""Packages with such exceptions; tokenizers raises a bare Exception."""
_OS_ERROR = re.compile(r"\(os error (\d+)\)")
_SHORT_WRITE = re.compile(r"\d+ requested and \d+ written")
_HINTS = {
    errno.ENOSPC: "free some space and run the same command again",
    errno.EDQUOT: "free some space and run the same command again",
    errno.ENOENT: "was a folder removed meanwhile?",
}


@contextmanager
def disk_errors(path: Path | str, *, cannot: str = "write here") -> Iterator[None]:
    """Turn what the system says while `path` is written into one line that names it.

    Raises:
        BadInput: the path cannot be written to: no permission, a read-only file system, a name that is too long, …
        WorkFailed: the disk fails: it is full, it is broken, or the folder was removed meanwhile.
    """
    try:
        yield
    except (BadInput, WorkFailed):
        raise
    except Exception as problem:
        number = error_number(problem)
        if number is None:
            raise
        raise explained(problem, number, path, cannot=cannot) from problem


def error_number(problem: BaseException) -> int | None:
    """Return the number of the system's error that an exception stands for, or None where it stands for none."""
    if isinstance(problem, _ELSEWHERE):
        return None
    if isinstance(problem, OSError) and problem.errno is not None:
        return problem.errno
    text = str(problem)
    if isinstance(problem, OSError) and _SHORT_WRITE.search(text):  # NumPy does not ask the system for the reason
        return errno.ENOSPC
    known = type(problem) is Exception or type(problem).__module__.partition(".")[0] in _FOREIGN
    if not known and not isinstance(problem, OSError):
        return None
    if match := _OS_ERROR.search(text):
        return int(match.group(1))
    return next((number for words, number in _IN_WORDS.items() if words in text), None)


def explained(
    problem: BaseException, number: int, path: Path | str, *, cannot: str = "write here"
) -> BadInput | WorkFailed:
    """Return the error for a user: the path, what the system said and, where there is one, a hint."""
    own, named = os.fspath(path), getattr(problem, "filename", None)
    place = os.fsdecode(named) if isinstance(named, str | bytes | os.PathLike) else own
    if any(part.startswith(".") and part.endswith(".part") for part in Path(place).parts):
        place = own  # where a file is until it is whole says nothing to a user
    ours = place == own or Path(own).absolute() in Path(place).absolute().parents
    said = "the disk took only part of it" if _SHORT_WRITE.search(str(problem)) else os.strerror(number)
    if number not in _BAD_PATH | _FAILED:
        return WorkFailed(f"{place}: {said}")
    if not ours:
        message = f"{place}: cannot be used ({said})"
        return BadInput(message) if number in _BAD_PATH or number == errno.ENOENT else WorkFailed(message)
    hint = f"; {_HINTS[number]}" if number in _HINTS else ""
    message = f"{place}: cannot {cannot} ({said}{hint})"
    return BadInput(message) if number in _BAD_PATH else WorkFailed(message)
