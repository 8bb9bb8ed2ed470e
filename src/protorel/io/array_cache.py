"""A cache of arrays: computed once, kept in a folder with a manifest of hashes, verified whenever it is opened.

A cache only saves time, so its content is never trusted and nothing depends on it. A cache that differs in any byte
from what was written, or that another version wrote, is rebuilt. If it cannot be written, the arrays stay in memory.
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

from protorel.io.errors import BadInput, WorkFailed
from protorel.io.file_lock import claimed, holder
from protorel.io.files import made_folder, sha256, write_text, written_whole
from protorel.io.inputs import read_text

FORMAT = 1
MANIFEST = "manifest.json"
_DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, RecursionError)
"""What reading a damaged file may raise."""
_UNWRITABLE = (OSError, BadInput, WorkFailed)
_LOGGER = logging.getLogger("protorel")
_warned: set[Path] = set()


@dataclass(frozen=True, slots=True)
class CachedArrays:
    """Arrays by name, and facts about them that JSON can hold."""

    arrays: Mapping[str, NDArray[Any]]
    facts: Mapping[str, Any]
    folder: Path | None = None
    """The folder they are memory-mapped from; None if they are in memory."""


@dataclass(frozen=True, slots=True)
class ArrayCache:
    """One entry of a cache: its folder, the kind of its arrays, and the input they were computed from."""

    folder: Path
    schema: str
    """The kind of arrays and the version of the code that makes them."""
    key: str
    """A fingerprint of everything that the arrays were computed from."""

    def get(self, make: Callable[[], CachedArrays], check: Callable[[CachedArrays], None]) -> CachedArrays:
        """Return the arrays: memory-mapped if the cache is intact, otherwise computed and cached.

        Two processes that need the same entry compute it once: the second waits for the first.

        Args:
            make: Computes the arrays; its errors are passed on.
            check: Raises ValueError for arrays whose shapes, types or values cannot be what `make` returns.
        """
        if (found := self._opened(check, report=False)) is not None:
            return found
        with ExitStack() as held:
            try:
                held.enter_context(made_folder(self.folder.parent))
                held.enter_context(_only_one(self.folder))
            except _UNWRITABLE as problem:
                self._warn_once(f"cannot be written ({_reason(problem)})")
                return make()
            if (found := self._opened(check, report=True)) is not None:  # another process has built it in the meantime
                return found
            made = make()
            try:
                self._write(made)
            except _UNWRITABLE as problem:
                self._warn_once(f"cannot be written ({_reason(problem)})")
                return made
            if (found := self._opened(check, report=False)) is None:
                self._warn_once("cannot be read back as it was written")
                return made
            return found

    def _opened(self, check: Callable[[CachedArrays], None], *, report: bool) -> CachedArrays | None:
        """Return the arrays of the folder after checking every byte; None if it is missing or damaged."""
        if not os.path.lexists(self.folder):
            return None
        try:
            found = self._verified()
            check(found)
        except _DAMAGE as problem:
            if report:
                _LOGGER.info("%s: this cache cannot be used (%s) and is rebuilt", self.folder, _reason(problem))
            return None
        return found

    def _verified(self) -> CachedArrays:
        manifest = json.loads(read_text(self.folder / MANIFEST))
        if manifest.pop("seal") != _seal(manifest):
            raise ValueError(f"{MANIFEST} is damaged")
        for name, expected in (("format", FORMAT), ("schema", self.schema), ("key", self.key)):
            if manifest[name] != expected:
                raise ValueError(f"its {name} is {manifest[name]!r}, expected {expected!r}")
        arrays = {}
        for name, file in manifest["files"].items():
            path = _regular(self.folder / f"{name}.npy")
            if path.stat().st_size != file["bytes"] or sha256(path) != file["sha256"]:
                raise ValueError(f"{path.name} is damaged")
            arrays[name] = np.load(path, mmap_mode="r", allow_pickle=False)
            if _kind(arrays[name]) != {"shape": file["shape"], "dtype": file["dtype"]}:
                raise ValueError(f"{path.name} has another shape or type than {MANIFEST} says")
        return CachedArrays(arrays, manifest["facts"], self.folder)

    def _write(self, made: CachedArrays) -> None:
        # This process holds the lock, so what a killed process left behind is not in use.
        for left in (self.folder, *self.folder.parent.glob(f".{self.folder.name}.*.part")):
            _remove(left)
        with written_whole(self.folder) as partial:
            partial.mkdir()
            files = {}
            for name, array in made.arrays.items():
                path = partial / f"{name}.npy"
                np.save(path, array, allow_pickle=False)
                files[name] = {"bytes": path.stat().st_size, "sha256": sha256(path), **_kind(array)}
            manifest = {"format": FORMAT, "schema": self.schema, "key": self.key, "files": files, "facts": made.facts}
            write_text(
                partial / MANIFEST, json.dumps({**manifest, "seal": _seal(manifest)}, indent=1, allow_nan=False) + "\n"
            )

    def _warn_once(self, problem: str) -> None:
        """Warn, once per kind of cache, that the work continues without it."""
        root = self.folder.parent
        if root not in _warned:
            _warned.add(root)
            hint = "Set PROTOREL_CACHE to a writable folder"
            _LOGGER.warning("%s: this cache %s; the work continues without it. %s", root, problem, hint)


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """Hold the lock for building a folder; wait for the process that holds it now."""
    lock = folder.with_name(f".{folder.name}.lock")
    with claimed(lock) as mine:
        if mine:
            yield
            return
    _LOGGER.info("%s: waiting for %s, which builds this cache", folder, holder(lock))
    with claimed(lock, wait=True):
        yield


def _seal(manifest: Mapping[str, Any]) -> str:
    """Return a hash of a manifest's content, whatever its layout."""
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _kind(array: NDArray[Any]) -> dict[str, Any]:
    return {"shape": list(array.shape), "dtype": array.dtype.str}


def _regular(path: Path) -> Path:
    """Return the path of a regular file; reading from a pipe could block."""
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
