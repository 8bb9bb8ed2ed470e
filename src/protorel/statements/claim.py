"""A claim on a piece of work: two processes that share a folder never do the same thing at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


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


def _locked(path: Path, *, wait: bool) -> IO[str] | None:
    """Lock a file for this process, or return None where another holds it."""
    import fcntl  # not on every system, and nothing else here needs it

    while True:
        stream = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(stream, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            stream.close()
            return None
        if _is_still(path, stream):
            stream.truncate(0)
            stream.write(f"{os.getpid()}\n")
            stream.flush()
            return stream
        stream.close()


def _is_still(path: Path, stream: IO[str]) -> bool:
    """Tell whether the file that was opened still has its name: its last holder may have removed it meanwhile."""
    try:
        return os.path.samestat(path.stat(), os.fstat(stream.fileno()))
    except FileNotFoundError:
        return False
