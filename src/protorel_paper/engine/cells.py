"""Cells of a table as files: what is finished stays, and two processes never make the same one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from protorel.io import READ_BACK, checked, disk_errors, read_json, write_json
from protorel.statements import BadInput
from protorel.training import check_same
from protorel_paper.engine.stages import Stage

Judge = Callable[[], Mapping[str, Any]]
"""Gives the figures of a cell, by column, and what stands beside them."""


@dataclass(frozen=True, slots=True)
class CellPlan:
    """A cell to be made: a row in one setting with one seed, all that its figures depend on, and how."""

    table: str
    row: str
    setting: str
    seed: int
    settings: Mapping[str, Any]
    stages: tuple[Stage, ...]
    judge: Judge

    @property
    def name(self) -> str:
        """What its file is called."""
        return f"{self.row}-{self.setting}-seed{self.seed}"

    @property
    def work(self) -> str:
        """What a process claims that makes it: a row is made by one process at a time."""
        return f"{self.table}-{self.row}-seed{self.seed}"


class _Figure(BaseModel):
    """One figure of a cell."""

    model_config = READ_BACK

    value: float
    margin: float | None
    count: int = Field(ge=0)


class _Run(BaseModel):
    """A run that a cell was made with."""

    model_config = READ_BACK

    name: str
    seconds: float


class _Settings(BaseModel):
    """What the figures of a cell depend on, as far as it is read by name; all of it is compared."""

    model_config = READ_BACK

    runs: list[dict[str, Any]] = []


class _Cell(BaseModel):
    """What every finished cell says; a table adds its own."""

    model_config = READ_BACK

    table: str
    row: str
    setting: str
    seed: int
    settings: _Settings
    figures: dict[str, _Figure]
    runs: list[_Run] = []
    seconds: float = 0.0
    per_relation: dict[str, float] | None = None
    per_relation_by_column: dict[str, dict[str, float]] | None = None
    right_of_each_episode: str | None = None


_SHARED = ("budget", "judged_by")
"""Settings that all cells of a table have alike."""


class CellFolder:
    """`cells/TABLE/NAME.json` under a folder, one for each finished cell."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with disk_errors(folder, cannot="make this folder"):
            for name in ("cells", "runs", "work"):
                (folder / name).mkdir(parents=True, exist_ok=True)

    def has(self, plan: CellPlan) -> bool:
        """Tell whether a cell is finished."""
        return self._place(plan).is_file()

    def check(self, plans: Sequence[CellPlan]) -> None:
        """Refuse cells that were made with other settings, and any of their table that was judged otherwise."""
        for plan in plans:
            if self.has(plan):
                place = self._place(plan)
                check_same(_cell(place)["settings"], plan.settings, what=f"{place}: this cell")
        for table, shared in {plan.table: {key: plan.settings[key] for key in _SHARED} for plan in plans}.items():
            for cell in self.read(table):
                theirs = {key: cell["settings"].get(key) for key in _SHARED}
                check_same(theirs, shared, what=f"{self.folder}: its cell {cell['row']}, seed {cell['seed']},")

    def write(self, plan: CellPlan, cell: Mapping[str, Any]) -> None:
        """Keep a finished cell, whole or not at all."""
        write_json(self._place(plan), cell)

    def read(self, table: str) -> list[dict[str, Any]]:
        """Return every finished cell of a table, in the order of their names."""
        return [_cell(path) for path in sorted((self.folder / "cells" / table).glob("*.json"))]

    def lock(self, name: str) -> Path:
        """Return the file by which a piece of work is claimed."""
        return self.folder / "work" / f"{name}.lock"

    def _place(self, plan: CellPlan) -> Path:
        return self.folder / "cells" / plan.table / f"{plan.name}.json"


def count_cells(folder: Path, table: str) -> int:
    """Tell how many cells of a table are finished in a folder, which need not be there yet."""
    return sum(1 for _ in (folder / "cells" / table).glob("*.json"))


def _cell(path: Path) -> dict[str, Any]:
    cell: dict[str, Any] = read_json(path)
    try:
        checked(cell, _Cell, where=str(path))
    except BadInput as problem:
        raise BadInput(f"{problem}; this is no cell of a table: remove it, and it will be made again") from problem
    return cell
