"""A table from data to files: the work of `protorel-paper table1`, `table2` and `table3`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from protorel.io import NowAndThen, Stopwatch
from protorel_paper.drawing import NoMatplotlib
from protorel_paper.engine import Audience, Plan, Progress, ResultFolder, make_results
from protorel_paper.tables.budget import budget_named
from protorel_paper.tables.cells import cells_of
from protorel_paper.tables.few_shot_cells import table1_plans
from protorel_paper.tables.fuzzyred_cells import table2_plans
from protorel_paper.tables.order import TableOrder
from protorel_paper.tables.rows import Row
from protorel_paper.tables.semeval_cells import table3_plans
from protorel_paper.tables.sources import DataFolder, Described, SmallWorldData
from protorel_paper.tables.summary.markdown import write_table
from protorel_paper.tables.summary.plot import write_plot
from protorel_paper.tables.summary.table_summary import TableSummary, summarise
from protorel_paper.tables.trainings import Trainings

Plans = Callable[[Trainings, Sequence[Row], Sequence[int]], list[Plan]]
_DRAWN_EVERY = 60.0
"""Seconds between two plots of a growing table: a plot takes longer than some cells."""
_PLANS: Mapping[str, Plans] = {"table1": table1_plans, "table2": table2_plans, "table3": table3_plans}


def reproduce_table(
    name: str,
    out: Path,
    *,
    budget: str = "cpu",
    data: Path | None = None,
    rows: Sequence[str] | None = None,
    seeds: Sequence[int] = (0,),
    audience: Audience = Audience(),  # noqa: B008 (it is frozen)
) -> tuple[TableSummary, Progress]:
    """Train and evaluate the rows of a table, and write the table, its plot and every cell.

    Finished cells are kept: the same call continues where the last one stopped, and two processes may work in one
    folder at once.

    Args:
        name: Name of the table: table1, table2 or table3.
        out: Output folder.
        budget: Amount of work: smoke, cpu or paper.
        data: Folder with the benchmark files; not for budget smoke.
        rows: Names of rows; by default all rows of the paper.
        seeds: Random seeds of the trainings.
        audience: Callbacks that report progress.

    Returns:
        The table as far as it is finished, and what this call made.

    Raises:
        BadInput: If a row or budget is unknown, the data do not fit, or the folder was made with other settings.
    """
    order = TableOrder(name, out, budget, data, None if rows is None else tuple(rows), tuple(seeds))
    return make_table(order, audience)


def make_table(
    order: TableOrder,
    audience: Audience = Audience(),  # noqa: B008 (it is frozen)
) -> tuple[TableSummary, Progress]:
    """Make the cells that are missing and not in progress elsewhere, and write the table."""
    table, out, budget = order.table, order.out, budget_named(order.budget)
    rows = order.check()
    data = SmallWorldData() if order.data is None else DataFolder(order.data, out / "data")
    trainings = Trainings(out, budget, Described(data))
    plans = _PLANS[order.name](trainings, rows, order.seeds)
    trainings.precision.record()
    cells = ResultFolder(out, cells_of(order.name))
    drawing = NowAndThen(Stopwatch(), _DRAWN_EVERY)

    def summarised() -> TableSummary:
        summary = summarise(table, budget.name, cells.read())
        write_table(summary, out)
        return summary

    def finished(plan: Plan, cell: Mapping[str, Any]) -> None:
        summary = summarised()
        if drawing.due():
            _draw(summary, out)
        audience.finished(plan, cell)

    progress = make_results(plans, cells, audience=replace(audience, finished=finished), keep_going=True)
    summary = summarised()
    return summary, replace(progress, notes=_draw(summary, out))


def _draw(summary: TableSummary, out: Path) -> tuple[str, ...]:
    """Draw the table; return the reason if that is impossible, since hours of work must not be lost by it."""
    try:
        write_plot(summary, out)
    except NoMatplotlib as problem:
        return (f"no plot: {problem}",)
    return ()
