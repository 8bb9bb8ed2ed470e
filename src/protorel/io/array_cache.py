"""A cache of arrays: computed once, kept in a folder with a manifest of hashes, verified whenever it is opened.

A cache only saves time, so nothing in it is trusted and nothing depends on it. One that differs in any byte from what
was written, or was written by another version, is built again. Where none can be written, the arrays stay in memory.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.io.file_lock import claimed, holder
from protorel.io.files import made_folder, sha256, write_text, written_whole
from protorel.io.inputs import read_text
from protorel.io.problems import BadInput, WorkFailed

FORMAT = 1
MANIFEST = "manifest.json"
_DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, RecursionError)
"""What reading a file of any content may raise."""
_UNWRITABLE = (OSError, BadInput, WorkFailed)
_LOGGER = logging.getLogger("protorel")
_said: set[Path] = set()


@dataclass(frozen=True, slots=True)
class CachedArrays:
    """Arrays by name, and facts about them that JSON can hold."""

    arrays: Mapping[str, NDArray[Any]]
    facts: Mapping[str, Any]
    folder: Path | None = None
    """Where they are memory-mapped from; None: they are in memory."""


@dataclass(frozen=True, slots=True)
class ArrayCache:
    """One entry of a cache: a folder, what its arrays mean, and what they were computed from."""

    folder: Path
    schema: str
    """The kind of arrays and the version of the code that makes them."""
    key: str
    """A fingerprint of all that the arrays were computed from."""

    def get(self, make: Callable[[], CachedArrays], check: Callable[[CachedArrays], None]) -> CachedArrays:
        """Return the arrays, memory-mapped where the cache is intact, else made and kept for the next time.

        Two processes that need the same entry make it once: the second one waits for the first.

        Args:
            make: Computes the arrays; its errors are raised as they are.
            check: Raises ValueError for arrays whose shapes, types or values cannot be what `make` returns.
        """
        if (found := self._opened(check, tell=False)) is not None:
            return found
        with ExitStack() as held:
            try:
                held.enter_context(made_folder(self.folder.parent))
                held.enter_context(_only_one(self.folder))
            except _UNWRITABLE as problem:
                self._say_once(f"cannot be written ({_reason(problem)})")
                return make()
            if (found := self._opened(check, tell=True)) is not None:  # another process has made it meanwhile
                return found
            made = make()
            try:
                self._write(made)
            except _UNWRITABLE as problem:
                self._say_once(f"cannot be written ({_reason(problem)})")
                return made
            if (found := self._opened(check, tell=False)) is None:
                self._say_once("cannot be read back as it was written")
                return made
            return found

    def _opened(self, check: Callable[[CachedArrays], None], *, tell: bool) -> CachedArrays | None:
        """Open the folder after a look at every byte, or return None where there is none or it differs."""
        if not os.path.lexists(self.folder):
            return None
        try:
            found = self._verified()
            check(found)
        except _DAMAGE as problem:
            if tell:
                _LOGGER.info("%s: this cache cannot be used (%s); it is built again", self.folder, _reason(problem))
            return None
        return found

    def _verified(self) -> CachedArrays:
        told = json.loads(read_text(self.folder / MANIFEST))
        if told.pop("seal") != _seal(told):
            raise ValueError(f"{MANIFEST} is damaged")
        for name, expected in (("format", FORMAT), ("schema", self.schema), ("key", self.key)):
            if told[name] != expected:
                raise ValueError(f"its {name} is {told[name]!r}, expected {expected!r}")
        arrays = {}
        for name, file in told["files"].items():
            path = _regular(self.folder / f"{name}.npy")
            if path.stat().st_size != file["bytes"] or sha256(path) != file["sha256"]:
                raise ValueError(f"{path.name} is damaged")
            arrays[name] = np.load(path, mmap_mode="r", allow_pickle=False)
            if _kind(arrays[name]) != {"shape": file["shape"], "dtype": file["dtype"]}:
                raise ValueError(f"{path.name} has another shape or type than {MANIFEST} says")
        return CachedArrays(arrays, told["facts"], self.folder)

    def _write(self, made: CachedArrays) -> None:
        # Nobody else builds here now, so what a kill left is in nobody's use.
        for left in (self.folder, *self.folder.parent.glob(f".{self.folder.name}.*.part")):
            _remove(left)
        with written_whole(self.folder) as beside:
            beside.mkdir()
            files = {}
            for name, array in made.arrays.items():
                path = beside / f"{name}.npy"
                np.save(path, array, allow_pickle=False)
                files[name] = {"bytes": path.stat().st_size, "sha256": sha256(path), **_kind(array)}
            told = {"format": FORMAT, "schema": self.schema, "key": self.key, "files": files, "facts": made.facts}
            write_text(beside / MANIFEST, json.dumps({**told, "seal": _seal(told)}, indent=1, allow_nan=False) + "\n")

    def _say_once(self, problem: str) -> None:
        """Say, once for each kind of cache, that work goes on without it."""
        root = self.folder.parent
        if root not in _said:
            _said.add(root)
            hint = "Set PROTOREL_CACHE to a folder on a disk that can be written"
            _LOGGER.warning("%s: this cache %s; work goes on without it. %s", root, problem, hint)


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """Hold the claim on making a folder, after any process that has it now."""
    lock = folder.with_name(f".{folder.name}.lock")
    with claimed(lock) as mine:
        if mine:
            yield
            return
    _LOGGER.info("%s: waiting for %s, which builds this cache", folder, holder(lock))
    with claimed(lock, wait=True):
        yield


def _seal(told: Mapping[str, Any]) -> str:
    """Return a hash of what a manifest says, however it is spaced."""
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _kind(array: NDArray[Any]) -> dict[str, Any]:
    return {"shape": list(array.shape), "dtype": array.dtype.str}


def _regular(path: Path) -> Path:
    """Return the path of a regular file; a pipe, say, would be waited for."""
    if not path.is_file():
        raise ValueError(f"{path.name} is missing or not a file")
    return path


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _reason(problem: BaseException) -> str:
    said = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
    return " ".join(said.split()) or type(problem).__name__
