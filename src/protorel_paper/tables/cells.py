"""Cells of a table, `cells/TABLE/NAME.json`: one row in one setting with one seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel, Field

from protorel.io import READ_BACK
from protorel_paper.engine import Kind, Plan, Stage

Cell = Mapping[str, Any]
"""A finished cell, as its file has it."""


class _Figure(BaseModel):
    """One figure of a cell."""

    model_config = READ_BACK

    value: float
    margin: float | None
    count: int = Field(ge=0)


class _Run(BaseModel):
    """A training that a cell was made with."""

    model_config = READ_BACK

    name: str
    seconds: float


class _Settings(BaseModel):
    """The settings that are read by name; all of them are compared."""

    model_config = READ_BACK

    runs: list[dict[str, Any]] = []


class _CellForm(BaseModel):
    """What every finished cell holds; a table adds its own fields."""

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


def cells_of(table: str) -> Kind:
    """Return the kind of result that a table's cells are; all of them have one budget and one test set."""
    return Kind("cell", f"cells/{table}", _CellForm, shared={"budget": None, "judged_by": None})


def cell_plan(
    table: str,
    row: str,
    setting: str,
    seed: int,
    *,
    settings: Mapping[str, Any],
    stages: tuple[Stage, ...],
    evaluate: Callable[[], Mapping[str, Any]],
) -> Plan:
    """Return the plan of a cell; a row with one seed is made by one process at a time.

    Args:
        table: Name of the table.
        row: Name of the row.
        setting: Name of the setting, such as 5w1s.
        seed: Random seed of the trainings.
        settings: Everything that the figures depend on.
        stages: Trainings that the cell needs.
        evaluate: Returns the figures by column, and what else the cell records.
    """
    return Plan(
        f"{row}-{setting}-seed{seed}",
        {"task": "reproduction", "table": table, "row": row, "setting": setting, "seed": seed},
        settings,
        lambda _scratch, _watch: evaluate(),
        stages,
        group=f"{table}-{row}-seed{seed}",
    )
