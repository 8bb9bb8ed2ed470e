"""Locks between processes: two that share a folder never do the same work at once."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from protorel.io.errors import disk_errors


class NoLocksWarning(UserWarning):
    """The system cannot lock files, so nothing stops a second process."""


@contextmanager
def claimed(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold a lock while the block runs and yield True, or yield False if another process holds it.

    The lock is a locked file with the process's id. The system releases it when the process ends, however it ends, so
    a lock file without a process is taken over.

    Args:
        path: The lock file.
        wait: Whether to wait until the lock is free.
    """
    stream = _locked(path, wait=wait)
    if stream is None:
        yield False
        return
    with stream:
        try:
            yield True
        finally:
            path.unlink(missing_ok=True)


def holder(path: Path) -> str:
    """Return the process that holds a lock, for a message."""
    try:
        number = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        number = ""  # released in the meantime
    return f"process {number}" if number else "another process"


def _locked(path: Path, *, wait: bool) -> IO[str] | None:
    """Lock a file for this process; return None if another process holds it."""
    while True:
        with disk_errors(path.parent):  # the folder may have been removed
            stream = path.open("a+", encoding="utf-8")
        try:
            _lock(stream, wait=wait)
        except BlockingIOError:
            stream.close()
            return None
        if is_still(path, stream.fileno()):
            stream.truncate(0)
            with suppress(OSError):  # the disk is full: the lock works without the process id
                os.write(stream.fileno(), f"{os.getpid()}\n".encode())
            return stream
        stream.close()


def _lock(stream: IO[str], *, wait: bool) -> None:
    try:
        import fcntl  # not on every system

        fcntl.flock(stream, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except (ModuleNotFoundError, OSError) as problem:
        # A user who works alone in this folder can still work.
        text = f"{stream.name}: cannot be locked here ({problem}); make sure that no other process uses this folder"
        warnings.warn(text, NoLocksWarning, stacklevel=2)


def is_still(path: Path, descriptor: int) -> bool:
    """Tell whether an open file or folder still has this name: its last holder may have removed it."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
