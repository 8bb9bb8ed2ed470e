"""Points of an experiment as files: what is finished stays, and two processes never make the same one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from protorel.statements import BadInput
from protorel.statements.files import read_json, write_json


class PointFolder:
    """`points/NAME.json` under a folder, one for each finished point; `work/` holds what is being made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            for name in ("points", "work"):
                (folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise BadInput(f"{folder}: cannot make this folder ({problem.strerror})") from problem

    def has(self, name: str) -> bool:
        """Tell whether a point is finished."""
        return self._place(name).is_file()

    def write(self, name: str, point: Mapping[str, Any]) -> None:
        """Keep a finished point, whole or not at all."""
        write_json(self._place(name), point)

    def read(self) -> list[dict[str, Any]]:
        """Return every finished point, in the order of their names."""
        return [_point(path) for path in sorted((self.folder / "points").glob("*.json"))]

    @contextmanager
    def claimed(self, name: str) -> Iterator[Path | None]:
        """Give a fresh folder to make a point in, or None while another process makes it.

        The claim is a locked file with the process's id. The system drops the lock when its process ends, however it
        ends, so a claim that nobody holds any more is taken over.
        """
        lock = self.folder / "work" / f"{name}.lock"
        claim = _locked(lock)
        if claim is None:
            yield None
            return
        scratch = self.folder / "work" / name
        with claim:
            try:
                shutil.rmtree(scratch, ignore_errors=True)  # left by a process that was killed
                scratch.mkdir()
                yield scratch
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
                lock.unlink(missing_ok=True)

    def _place(self, name: str) -> Path:
        return self.folder / "points" / f"{name}.json"


def _locked(path: Path) -> IO[str] | None:
    """Lock a file for this process, or return None where another holds it."""
    import fcntl  # not on every system, and nothing else here needs it

    while True:
        stream = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
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


def _point(path: Path) -> dict[str, Any]:
    point = read_json(path)
    if not isinstance(point, dict) or not {"name", "task", "settings"} <= point.keys():
        raise BadInput(f"{path}: is no point of an experiment; remove it, and it will be made again")
    return point
