"""A table from data to files: what `protorel-paper table1`, `table2` and `table3` do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from protorel.io import NowAndThen, Stopwatch
from protorel_paper.drawing.printed_figure import NoMatplotlib
from protorel_paper.engine.cells import CellFolder, CellPlan
from protorel_paper.engine.runner import Audience, Progress, make_cells
from protorel_paper.tables.budget import budget_named
from protorel_paper.tables.few_shot_cells import table1_plans
from protorel_paper.tables.fuzzyred_cells import table2_plans
from protorel_paper.tables.markdown import write_table
from protorel_paper.tables.order import TABLES, check_order
from protorel_paper.tables.plot import write_picture
from protorel_paper.tables.rows import Row
from protorel_paper.tables.semeval_cells import table3_plans
from protorel_paper.tables.small_data import SmallWorldData
from protorel_paper.tables.sources import DataFolder, Described, Sources
from protorel_paper.tables.summary import TableSummary, summarise
from protorel_paper.tables.trainings import Workshop

Plans = Callable[[Workshop, Sequence[Row], Sequence[int]], list[CellPlan]]
_DRAWN_EVERY = 60.0
"""Seconds between two pictures of a table that grows: a picture takes longer than some cells."""
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
    """Train and judge every row of a table, or those named, and keep table, picture and every cell in a folder.

    What is finished is kept: the same call goes on where the last one was stopped, and two processes may work in one
    folder at once.
    """
    table, size = TABLES[name], budget_named(budget)
    chosen = check_order(name, budget=size.name, data=data, rows=rows)
    workshop = Workshop(out, size, Described(_sources(size.name, data, out)))
    plans = _PLANS[name](workshop, chosen, seeds)
    workshop.precision.record()
    drawing = NowAndThen(Stopwatch(), _DRAWN_EVERY)

    def keep(plan: CellPlan, cell: Mapping[str, Any]) -> None:
        summary = summarise(table, size.name, CellFolder(out).read(table.name))
        write_table(summary, out)
        if drawing.due():
            picture_of(summary, out)
        audience.finished(plan, cell)

    progress = make_cells(plans, out, audience=replace(audience, finished=keep))
    summary = summarise(table, size.name, CellFolder(out).read(table.name))
    write_table(summary, out)
    return summary, replace(progress, notes=picture_of(summary, out))


def picture_of(summary: TableSummary, out: Path) -> tuple[str, ...]:
    """Draw the table; return why that could not be done, since hours of work shall not end by it."""
    try:
        write_picture(summary, out)
    except NoMatplotlib as problem:
        return (f"no picture: {problem}",)
    return ()


def _sources(budget: str, data: Path | None, out: Path) -> Sources:
    if budget == "smoke":
        return SmallWorldData()
    assert data is not None  # check_order has seen to it
    return DataFolder(data, out / "data")
