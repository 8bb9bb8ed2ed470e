"""A claim on a piece of work: two processes that share a folder never do the same thing at once."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from protorel.io.disk_faults import disk_errors


class NoLocksWarning(UserWarning):
    """The system cannot lock files, so nothing stops a second process."""


@contextmanager
def claimed(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold a claim while the block runs, or give False where another process holds it; with `wait`, wait for it.

    The claim is a locked file with the process's id. The system drops the lock when its process ends, however it
    ends, so a claim that nobody holds any more is taken over.
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
    """Say who holds a claim that was not given."""
    try:
        number = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        number = ""  # given back meanwhile
    return f"process {number}" if number else "another process"


def _locked(path: Path, *, wait: bool) -> IO[str] | None:
    """Lock a file for this process, or return None where another holds it."""
    while True:
        with disk_errors(path.parent):  # the folder may be gone since it was made
            stream = path.open("a+", encoding="utf-8")
        try:
            _lock(stream, wait=wait)
        except BlockingIOError:
            stream.close()
            return None
        if is_still(path, stream.fileno()):
            stream.truncate(0)
            with suppress(OSError):  # the disk is full: the lock holds without its holder's id
                os.write(stream.fileno(), f"{os.getpid()}\n".encode())
            return stream
        stream.close()


def _lock(stream: IO[str], *, wait: bool) -> None:
    try:
        import fcntl  # not on every system, and nothing else here needs it

        fcntl.flock(stream, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except (ModuleNotFoundError, OSError) as problem:
        # Somebody who works alone in such a folder shall not be kept from it.
        text = f"{stream.name}: cannot be locked here ({problem}); see to it that no other process works in this folder"
        warnings.warn(text, NoLocksWarning, stacklevel=2)


def is_still(path: Path, descriptor: int) -> bool:
    """Tell whether an open file or folder still has this name: its last holder may have removed it meanwhile."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
