"""Writing files atomically: a killed process never leaves half a file, and a disk error is one line."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

from protorel.io.errors import BadInput, disk_errors
from protorel.io.file_lock import is_still
from protorel.io.inputs import is_folder, is_there, open_source, read_text
from protorel.io.json_text import parse_json

_LONGEST = 150
"""The longest file name, in bytes, that a temporary name repeats; systems allow 255."""


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; rename it to `path` if the block succeeds, otherwise remove it.

    Disk errors become one line (see `disk_errors`).
    """
    with made_folder(path.parent), disk_errors(path), in_the_making(path) as partial:
        yield partial
        for written in [partial] if partial.is_file() else sorted(partial.rglob("*")):
            _flush(written)
        partial.replace(path)


@contextmanager
def in_the_making(path: Path) -> Iterator[Path]:
    """Yield a path of the same name in a hidden folder next to `path`; remove that folder when the block ends.

    The folder is locked while the block runs. The system releases the lock of a killed process, so its leftovers are
    removed by the next process that writes the same file.
    """
    remove_leftovers(path.parent, path.name)
    while True:
        folder = path.parent / f".{_shortened(path.name)}.{token_hex(8)}.part"
        folder.mkdir()
        with suppress(BlockingIOError, FileNotFoundError):  # another process has taken it for a leftover
            lock = _locked(folder)
            if lock is None or is_still(folder, lock):
                break
            os.close(lock)
    try:
        yield folder / path.name
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def remove_leftovers(folder: Path, name: str = "") -> None:
    """Remove the temporary files that killed processes left in a folder: those of one name, or all."""
    stem = f".{_shortened(name)}." if name else "."
    try:
        left = [one for one in folder.iterdir() if one.name.startswith(stem) and one.name.endswith(".part")]
    except OSError:
        return  # writing to this folder will report the error
    for place in left:
        with suppress(BlockingIOError, FileNotFoundError):  # it is in use, or another process has removed it
            if (lock := _locked(place)) is not None:
                if is_folder(place):
                    shutil.rmtree(place, ignore_errors=True)
                else:
                    place.unlink()
                os.close(lock)


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Create a folder to write into; if the block fails, remove the folders created for it that are still empty."""
    missing = [place for place in (folder, *folder.parents) if not is_there(place)]
    try:
        with disk_errors(folder, cannot="make this folder"):
            folder.mkdir(parents=True, exist_ok=True)
        with disk_errors(folder):
            yield
    except BaseException:
        with suppress(OSError):  # a folder that is not empty, and those above it, stay
            for place in missing:
                if is_there(place):
                    place.rmdir()
        raise


def check_file_target(path: Path) -> None:
    """Raise `BadInput` if a file could not be written when the work is done."""
    if is_folder(path):
        raise BadInput(f"{path}: expected a file name, got a folder")
    if is_there(path) and not path.is_file():
        raise BadInput(f"{path}: expected the name of a regular file, got a device, a pipe or a socket")
    _check_writable(path, path.parent)


def check_folder_target(path: Path) -> None:
    """Raise `BadInput` if a folder could not be created or written into when the work is done."""
    if is_there(path) and not is_folder(path):
        raise BadInput(f"{path}: expected a folder, got a file")
    _check_writable(path, path)


def _check_writable(path: Path, folder: Path) -> None:
    with disk_errors(path), suppress(FileNotFoundError, NotADirectoryError):
        path.stat()  # fails for a name that is too long or a folder without permission
    there = next(place for place in (folder.absolute(), *folder.absolute().parents) if is_there(place))
    if not there.is_dir():
        raise BadInput(f"{path}: cannot write here ({there} is not a folder)")
    if not os.access(there, os.W_OK | os.X_OK):
        raise BadInput(f"{path}: cannot write here (no permission to write into {there})")


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    with written_whole(path) as partial:
        partial.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write JSON atomically, indented."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    """Return the content of a JSON file, or raise `BadInput` with the reason in one line."""
    text = read_text(path)
    try:
        return parse_json(text)
    except ValueError as problem:
        raise BadInput(f"{path}: {problem}") from problem


def cache_root() -> Path:
    """Return the folder for caches: PROTOREL_CACHE, or `~/.cache/protorel`."""
    return Path(os.environ.get("PROTOREL_CACHE") or Path.home() / ".cache" / "protorel")


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with open_source(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _flush(path: Path) -> None:
    # The content must reach the disk before the rename does.
    if path.is_file():
        with path.open("rb+") as stream:
            os.fsync(stream.fileno())


def _shortened(name: str) -> str:
    raw = os.fsencode(name)
    return name if len(raw) <= _LONGEST else hashlib.sha256(raw).hexdigest()[:32]


def _locked(path: Path) -> int | None:
    """Open a file or folder and lock it; return None if this system cannot lock it.

    Raises:
        BlockingIOError: another process holds it.
        FileNotFoundError: it is gone.
    """
    try:
        import fcntl  # not on every system

        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except FileNotFoundError:
        raise
    except (ModuleNotFoundError, OSError):
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
