"""Results as JSON files: finished ones are kept, and two processes never make the same one.

A table's results are cells, an experiment's are points; a `Kind` says where their files are and what each holds.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from protorel.io import checked, claimed, disk_errors, read_json, write_json
from protorel.statements import BadInput
from protorel.training import Watcher, check_same
from protorel_paper.engine.stages import Stage


@dataclass(frozen=True, slots=True)
class Plan:
    """A result to make: its name, everything that its figures depend on, and how to make it."""

    name: str
    """Name of its file."""
    identity: Mapping[str, Any]
    """First fields of its file; `task` is one of them."""
    settings: Mapping[str, Any]
    make: Callable[[Path, Watcher | None], Mapping[str, Any]]
    """Works in a scratch folder and returns the findings."""
    stages: tuple[Stage, ...] | None = None
    """Trainings that it needs and others may share; None if `make` does the training."""
    group: str = ""
    """Plans of one group are made by one process at a time; by default each plan is a group."""

    @property
    def claim(self) -> str:
        """What a process locks while it makes the result."""
        return self.group or self.name


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of result."""

    noun: str
    """Singular, for messages: cell or point."""
    place: str
    """Folder of its files, inside the output folder."""
    form: type[BaseModel]
    """What its files must hold; `settings` is part of it."""
    shared: Mapping[str, str | None] = field(default_factory=dict)
    """Settings that all results have in common, or all those that agree in the setting named."""

    def count(self, out: Path) -> int:
        """Return the number of finished results in an output folder, which need not exist."""
        return sum(1 for _ in (out / self.place).glob("*.json"))

    def read(self, out: Path) -> dict[str, dict[str, Any]]:
        """Return every finished result by name, in the order of names; change nothing on disk."""
        return {path.stem: self._read(path) for path in sorted((out / self.place).glob("*.json"))}

    def _read(self, path: Path) -> dict[str, Any]:
        result: dict[str, Any] = read_json(path)
        try:
            checked(result, self.form, where=str(path))
        except BadInput as problem:
            raise BadInput(f"{problem}; this is not a finished {self.noun}: remove it to make it again") from problem
        return result


class ResultFolder:
    """Results of one kind in an output folder; `work/` holds locks and what is being made."""

    def __init__(self, out: Path, kind: Kind) -> None:
        self.out, self.kind = out, kind
        with disk_errors(out, cannot="make this folder"):
            for name in (kind.place, "work"):
                (out / name).mkdir(parents=True, exist_ok=True)

    def has(self, name: str) -> bool:
        """Return whether a result is finished."""
        return self._path(name).is_file()

    def write(self, name: str, result: Mapping[str, Any]) -> None:
        """Write a finished result atomically."""
        write_json(self._path(name), result)

    def read(self) -> list[dict[str, Any]]:
        """Return every finished result, in the order of names."""
        return list(self.kind.read(self.out).values())

    def lock(self, name: str) -> Path:
        """Return the lock file of a claim."""
        return self.out / "work" / f"{name}.lock"

    @contextmanager
    def claimed(self, name: str) -> Iterator[Path | None]:
        """Give an empty scratch folder while the claim is held; None if another process holds it."""
        with claimed(self.lock(name)) as mine:
            if not mine:
                yield None
                return
            scratch = self.out / "work" / name
            try:
                shutil.rmtree(scratch, ignore_errors=True)  # left by a process that was killed
                with disk_errors(scratch):
                    scratch.mkdir()
                yield scratch
            finally:
                shutil.rmtree(scratch, ignore_errors=True)

    def check(self, plans: Iterable[Plan]) -> None:
        """Refuse to continue in a folder whose results were made with other settings: they must not be mixed."""
        finished, noun = self.kind.read(self.out), self.kind.noun
        for plan in plans:
            task = plan.identity["task"]
            for name, result in finished.items():
                if (other := result.get("task", task)) != task:
                    raise BadInput(f"{self.out}: holds {noun}s of {other}, not of {task}; choose another --out")
                now, then = plan.settings, result["settings"]
                parts = now.keys() | then.keys() if name == plan.name else self._shared(now, then)
                old, new = ({part: of[part] for part in parts if part in of} for of in (then, now))
                check_same(old, new, what=f"{self.out}: {noun} {name}")

    def _shared(self, now: Mapping[str, Any], then: Mapping[str, Any]) -> set[str]:
        agree = {name for name in self.kind.shared.values() if name is None or now.get(name) == then.get(name)}
        return {part for part, name in self.kind.shared.items() if name in agree}

    def _path(self, name: str) -> Path:
        return self.out / self.kind.place / f"{name}.json"
