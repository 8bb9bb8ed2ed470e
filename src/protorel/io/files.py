"""The one place that writes files: a kill never leaves half of one behind, and a failing disk is one line."""

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

from protorel.io.disk_faults import disk_errors
from protorel.io.file_lock import is_still
from protorel.io.inputs import is_folder, is_there, open_source, read_text
from protorel.io.json_text import parse_json
from protorel.io.problems import BadInput

_LONGEST = 150
"""The longest name, in bytes, that the name of a file or folder in the making repeats; systems allow 255."""


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a path to write to; rename it to `path` when the block ends well, else remove it.

    Whatever the system says meanwhile becomes one line (see `disk_errors`).
    """
    with made_folder(path.parent), disk_errors(path), in_the_making(path) as beside:
        yield beside
        for written in [beside] if beside.is_file() else sorted(beside.rglob("*")):
            _flush(written)
        beside.replace(path)


@contextmanager
def in_the_making(path: Path) -> Iterator[Path]:
    """Give a path of the same name in a hidden folder next to `path`, and remove that folder when the block ends.

    The folder is locked while the block runs. The system drops the lock of a process that is killed, so what it left is
    removed by the next that writes the same file.
    """
    remove_leftovers(path.parent, path.name)
    while True:
        folder = path.parent / f".{_shortened(path.name)}.{token_hex(8)}.part"
        folder.mkdir()
        with suppress(BlockingIOError, FileNotFoundError):  # another process took it for a leftover meanwhile
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
    """Remove what killed processes left in a folder of files in the making: of one name, or of all."""
    stem = f".{_shortened(name)}." if name else "."
    try:
        left = [one for one in folder.iterdir() if one.name.startswith(stem) and one.name.endswith(".part")]
    except OSError:
        return  # whoever writes here will be told
    for place in left:
        with suppress(BlockingIOError, FileNotFoundError):  # it is in work, or another process has removed it
            if (lock := _locked(place)) is not None:
                if is_folder(place):
                    shutil.rmtree(place, ignore_errors=True)
                else:
                    place.unlink()
                os.close(lock)


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Make a folder to write into; if the block fails, remove the folders that were made for it and are still empty."""
    missing = [place for place in (folder, *folder.parents) if not is_there(place)]
    try:
        with disk_errors(folder, cannot="make this folder"):
            folder.mkdir(parents=True, exist_ok=True)
        with disk_errors(folder):
            yield
    except BaseException:
        with suppress(OSError):  # one is not empty, so neither are those above it
            for place in missing:
                if is_there(place):
                    place.rmdir()
        raise


def check_file_target(path: Path) -> None:
    """Refuse, before any work, a file that could not be written when the work is done."""
    if is_folder(path):
        raise BadInput(f"{path}: expected a file name, got a folder")
    if is_there(path) and not path.is_file():
        raise BadInput(f"{path}: expected the name of a regular file, got a device, a pipe or a socket")
    _check_writable(path, path.parent)


def check_folder_target(path: Path) -> None:
    """Refuse, before any work, a folder that could not be made or written into."""
    if is_there(path) and not is_folder(path):
        raise BadInput(f"{path}: expected a folder, got a file")
    _check_writable(path, path)


def _check_writable(path: Path, folder: Path) -> None:
    with disk_errors(path), suppress(FileNotFoundError, NotADirectoryError):
        path.stat()  # a name that is too long, a folder that may not be looked into
    there = next(place for place in (folder.absolute(), *folder.absolute().parents) if is_there(place))
    if not there.is_dir():
        raise BadInput(f"{path}: cannot write here ({there} is not a folder)")
    if not os.access(there, os.W_OK | os.X_OK):
        raise BadInput(f"{path}: cannot write here (no permission to write into {there})")


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    with written_whole(path) as beside:
        beside.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write JSON atomically, readable by people."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    """Read JSON, or say in one line what is wrong with the file."""
    text = read_text(path)
    try:
        return parse_json(text)
    except ValueError as problem:
        raise BadInput(f"{path}: {problem}") from problem


def cache_root() -> Path:
    """Return where caches are kept: PROTOREL_CACHE, or a folder under the user's cache."""
    return Path(os.environ.get("PROTOREL_CACHE") or Path.home() / ".cache" / "protorel")


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with open_source(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _flush(path: Path) -> None:
    # A rename must not reach the disk before what it names.
    if path.is_file():
        with path.open("rb+") as stream:
            os.fsync(stream.fileno())


def _shortened(name: str) -> str:
    raw = os.fsencode(name)
    return name if len(raw) <= _LONGEST else hashlib.sha256(raw).hexdigest()[:32]


def _locked(path: Path) -> int | None:
    """Open a file or folder and lock it; None where this system cannot lock it.

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
