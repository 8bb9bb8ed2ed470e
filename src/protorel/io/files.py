"""Files written so that a kill never leaves half of one behind, and hashes of what they hold."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from protorel.io.parsing import parse_json
from protorel.io.problems import BadInput

MOST_BYTES = 2**28
"""The largest file that is parsed as a whole."""


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; rename it into place when the block ends well, else remove it."""
    with made_folder(path.parent):
        beside = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            yield beside
            for written in [beside] if beside.is_file() else sorted(beside.rglob("*")):
                _flush(written)
            beside.replace(path)
        except PermissionError as problem:
            raise BadInput(f"{path}: cannot write here ({problem.strerror})") from problem
        finally:
            if beside.is_dir():
                shutil.rmtree(beside)
            else:
                beside.unlink(missing_ok=True)


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Make a folder to write into; if the block fails, remove the folders that were made for it and are still empty."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadInput(f"{folder}: cannot make this folder ({problem.strerror})") from problem
    try:
        yield
    except BaseException:
        with suppress(OSError):  # one is not empty, so neither are those above it
            for place in missing:
                place.rmdir()
        raise


def check_file_target(path: Path) -> None:
    """Refuse, before any work, a file that could not be written when the work is done."""
    if path.is_dir():
        raise BadInput(f"{path}: expected a file name, got a folder")
    _check_writable(path, path.parent)


def check_folder_target(path: Path) -> None:
    """Refuse, before any work, a folder that could not be made or written into."""
    if path.is_file():
        raise BadInput(f"{path}: expected a folder, got a file")
    _check_writable(path, path)


def _check_writable(path: Path, folder: Path) -> None:
    there = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise BadInput(f"{path}: cannot write here ({there} is not a folder)")
    if not os.access(there, os.W_OK | os.X_OK):
        raise BadInput(f"{path}: cannot write here (no permission to write into {there})")


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with written_whole(path) as beside:
        beside.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write JSON whole or not at all, readable by people."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_text(path: Path, *, most_bytes: int = MOST_BYTES) -> str:
    """Read a text file of bounded size, or say in one line why that cannot be done."""
    try:
        with path.open("rb") as stream:
            content = stream.read(most_bytes + 1)
        if len(content) > most_bytes:
            raise BadInput(f"{path}: expected at most {most_bytes:,} bytes, got more")
        return content.decode("utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"{path}: no such file") from None
    except UnicodeDecodeError as problem:
        raise BadInput(f"{path}: cannot be read as text ({problem})") from problem
    except OSError as problem:
        raise BadInput(f"{path}: cannot be read as text ({problem.strerror or problem})") from problem


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
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _flush(path: Path) -> None:
    # A rename must not reach the disk before what it names.
    if path.is_file():
        with path.open("rb+") as stream:
            os.fsync(stream.fileno())
