"""Points of an experiment as files: what is finished stays, and two processes never make the same one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from protorel.io import READ_BACK, checked, claimed, disk_errors, read_json, write_json
from protorel.statements import BadInput


class _Point(BaseModel):
    """What every finished point says; an experiment adds its own."""

    model_config = READ_BACK

    name: str
    task: str
    settings: dict[str, Any]


class PointFolder:
    """`points/NAME.json` under a folder, one for each finished point; `work/` holds what is being made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with disk_errors(folder, cannot="make this folder"):
            for name in ("points", "work"):
                (folder / name).mkdir(parents=True, exist_ok=True)

    def has(self, name: str) -> bool:
        """Tell whether a point is finished."""
        return self._place(name).is_file()

    def write(self, name: str, point: Mapping[str, Any]) -> None:
        """Keep a finished point, whole or not at all."""
        write_json(self._place(name), point)

    def read(self) -> list[dict[str, Any]]:
        """Return every finished point, in the order of their names."""
        return read_points(self.folder)

    @contextmanager
    def claimed(self, name: str) -> Iterator[Path | None]:
        """Give a fresh folder to make a point in, or None while another process makes it."""
        with claimed(self.folder / "work" / f"{name}.lock") as mine:
            if not mine:
                yield None
                return
            scratch = self.folder / "work" / name
            try:
                shutil.rmtree(scratch, ignore_errors=True)  # left by a process that was killed
                with disk_errors(scratch):
                    scratch.mkdir()
                yield scratch
            finally:
                shutil.rmtree(scratch, ignore_errors=True)

    def _place(self, name: str) -> Path:
        return self.folder / "points" / f"{name}.json"


def read_points(folder: Path) -> list[dict[str, Any]]:
    """Return every finished point under a folder, in the order of their names, and change nothing there."""
    return [_point(path) for path in sorted((folder / "points").glob("*.json"))]


def _point(path: Path) -> dict[str, Any]:
    point: dict[str, Any] = read_json(path)
    try:
        checked(point, _Point, where=str(path))
    except BadInput as problem:
        raise BadInput(
            f"{problem}; this is no point of an experiment: remove it, and it will be made again"
        ) from problem
    return point
