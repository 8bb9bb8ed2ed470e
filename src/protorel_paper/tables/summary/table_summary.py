"""A table as far as it is finished: our figures next to the paper's, and how rows compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from protorel.evaluation import Measurement, measure
from protorel_paper.tables.cells import Cell
from protorel_paper.tables.rows import Row, Table
from protorel_paper.tables.summary.cell_figures import ColumnCells
from protorel_paper.tables.summary.paired import PairedDifference

FINAL, RIVAL = "col_final", "mtb"
"""The row that is compared with every other row, and the row that arrows compare with."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One column of a row, over all finished seeds."""

    ours: Measurement
    printed: float | None
    """The paper's figure, in percent."""
    seeds: tuple[int, ...]
    over_seeds: Measurement | None
    """None for a single seed."""
    over_relations: Measurement
    less_rival: PairedDifference | None = None
    """This row minus the row that arrows compare with."""
    final_less: PairedDifference | None = None
    """The row that is compared with every other row, minus this one."""

    @property
    def arrow(self) -> str:
        """↑ or ↓ if the row is clearly better or worse than the rival, ≈ if the interval contains zero."""
        return "" if self.less_rival is None else {1: "↑", -1: "↓", 0: "≈"}[self.less_rival.says]


@dataclass(frozen=True, slots=True)
class Seconds:
    """Time of a row, averaged over seeds; a run that several rows share counts for each of them."""

    pretraining: float
    tuning: float
    judging: float

    @property
    def total(self) -> float:
        """Sum of the three."""
        return self.pretraining + self.tuning + self.judging


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A row and its finished figures by column."""

    row: Row
    figures: Mapping[str, Figure]
    seconds: Seconds | None
    """None if nothing is finished yet."""


@dataclass(frozen=True, slots=True)
class TableSummary:
    """All rows of a table, finished or not."""

    table: Table
    budget: str
    rows: Sequence[SummaryRow]
    cells: int
    data: Mapping[str, Any]
    """The test data."""


def summarise(table: Table, budget: str, cells: Sequence[Cell]) -> TableSummary:
    """Return the table as far as its cells are finished."""
    table = table.showing({cell["row"] for cell in cells})
    of_row: dict[str, list[Cell]] = {row.name: [] for row in table.rows}
    for cell in cells:
        of_row.setdefault(cell["row"], []).append(cell)
    rows = [
        SummaryRow(
            row,
            {
                column: figure
                for column, printed in zip(table.columns, row.printed, strict=True)
                if (figure := _figure(row.name, column, printed, of_row)) is not None
            },
            _seconds(of_row[row.name]),
        )
        for row in table.rows
    ]
    return TableSummary(table, budget, rows, len(cells), cells[0]["data"] if cells else {})


def _figure(name: str, column: str, printed: float | None, of_row: Mapping[str, Sequence[Cell]]) -> Figure | None:
    own, rival, final = (ColumnCells(of_row.get(row, ()), column) for row in (name, RIVAL, FINAL))
    if not own:
        return None
    return Figure(
        own.figure(),
        printed,
        own.seeds,
        own.over_seeds(),
        measure(list(own.of_relations(own.seeds).values())),
        own.less(rival) if name != RIVAL else None,
        final.less(own) if name != FINAL else None,
    )


def _seconds(cells: Sequence[Cell]) -> Seconds | None:
    """Return the time of a row: each run once, and the evaluation."""
    if not cells:
        return None
    seeds = len({cell["seed"] for cell in cells})
    pretraining: dict[str, float] = {}
    tuning: dict[str, float] = {}
    for cell in cells:
        for run, settings in zip(cell.get("runs", []), cell["settings"].get("runs", []), strict=False):
            kind = tuning if "start" in settings else pretraining  # a pretraining starts from an encoder
            kind[run["name"]] = float(run["seconds"])
    judging = sum(float(cell.get("seconds", 0.0)) for cell in cells)
    return Seconds(sum(pretraining.values()) / seeds, sum(tuning.values()) / seeds, judging / seeds)
