"""Errors for users: bad input, failed work, and the disk errors that become one of them.

A disk error of the system is turned into one line that names the path. Libraries in other languages report the same
failures in exceptions of their own. These are recognised by their text, so that nothing heavy is imported here.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_BAD_PATH = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR}) | {
    errno.ELOOP,
    errno.EEXIST,
    errno.ENOTEMPTY,
    errno.EINVAL,
    errno.ENXIO,
}
"""Errors of the path: the user can choose another one."""
_FAILED = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.ENOENT, errno.ESTALE})
"""Errors of the disk, or caused by other processes."""
_ELSEWHERE = (ConnectionError, TimeoutError, ChildProcessError, ProcessLookupError, InterruptedError)
"""System errors that do not concern files."""
_IN_WORDS = {os.strerror(number): number for number in sorted(_FAILED | {errno.EACCES, errno.EROFS})} | {
    "database or disk is full": errno.ENOSPC,
    "disk I/O error": errno.EIO,
}
"""The same errors in the words of libraries that raise their own exceptions."""
_FOREIGN = ("duckdb", "_duckdb", "sqlite3", "safetensors", "safetensors_rust", "pyarrow", "py4j", "pyspark")
"""Packages that raise their own exceptions; tokenizers raises a bare `Exception`."""
_OS_ERROR = re.compile(r"\(os error (\d+)\)")
_SHORT_WRITE = re.compile(r"\d+ requested and \d+ written")
_HINTS = {
    errno.ENOSPC: "free some space and run the same command again",
    errno.EDQUOT: "free some space and run the same command again",
    errno.ENOENT: "was a folder removed in the meantime?",
}


class BadInput(ValueError):
    """The input cannot be used. The message is one line: where, what was expected, what was found.

    >>> from protorel import as_statements
    >>> as_statements([{"text": "Ada Kroll was born in Lunsk.", "head": "Bela Tarn", "tail": "Lunsk"}])
    Traceback (most recent call last):
    ...
    protorel.io.errors.BadInput: row 0, head: expected a name that occurs once in the text, got 'Bela Tarn', ...
    """


class WorkFailed(RuntimeError):
    """The input was good, but the work could not be finished: the disk is full, a process died.

    >>> from protorel.io import disk_errors
    >>> with disk_errors("runs/mine"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    ...
    protorel.io.errors.WorkFailed: runs/mine: cannot write here (No space left on device; free some space ...)
    """


class Interrupted(WorkFailed):
    """The user pressed Ctrl-C. Finished work is kept, and the same command resumes it.

    >>> issubclass(Interrupted, WorkFailed)
    True
    """


@contextmanager
def disk_errors(path: Path | str, *, cannot: str = "write here") -> Iterator[None]:
    """Turn disk errors in the block into one line that names the path.

    Args:
        path: What the block writes or reads.
        cannot: What failed, as the message puts it.

    Raises:
        BadInput: the path cannot be written to: no permission, a read-only file system, a name that is too long, …
        WorkFailed: the disk fails: it is full, it is broken, or the folder was removed in the meantime.
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
    """Return the errno of the system error that an exception reports; None if it reports none."""
    if isinstance(problem, _ELSEWHERE):
        return None
    if isinstance(problem, OSError) and problem.errno is not None:
        return problem.errno
    text = str(problem)
    if isinstance(problem, OSError) and _SHORT_WRITE.search(text):  # NumPy does not report the system's reason
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
    """Return the error for a user: the path, the system's reason and, if there is one, a hint."""
    own, named = os.fspath(path), getattr(problem, "filename", None)
    place = os.fsdecode(named) if isinstance(named, str | bytes | os.PathLike) else own
    if any(part.startswith(".") and part.endswith(".part") for part in Path(place).parts):
        place = own  # a temporary path means nothing to a user
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
