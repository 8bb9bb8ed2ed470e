"""A table from data to files: what `protorel reproduce table1`, `table2` and `table3` do."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from protorel.report.printed_figure import NoMatplotlib
from protorel.reproduction.budget import budget_named
from protorel.reproduction.cells import CellFolder, CellPlan
from protorel.reproduction.few_shot_cells import table1_plans
from protorel.reproduction.fuzzyred_cells import table2_plans
from protorel.reproduction.picture import write_picture
from protorel.reproduction.rows import Row, Table
from protorel.reproduction.semeval_cells import table3_plans
from protorel.reproduction.small_data import SmallWorldData
from protorel.reproduction.sources import DataFolder, Described, Sources
from protorel.reproduction.summary import TableSummary, summarise
from protorel.reproduction.table1 import TABLE1
from protorel.reproduction.table2 import TABLE2
from protorel.reproduction.table3 import TABLE3
from protorel.reproduction.work import Audience, Progress, make_cells
from protorel.reproduction.workshop import Workshop
from protorel.reproduction.written import write_table
from protorel.statements import BadInput

Plans = Callable[[Workshop, Sequence[Row], Sequence[int]], list[CellPlan]]
TABLES: Mapping[str, Table] = {table.name: table for table in (TABLE1, TABLE2, TABLE3)}
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
    chosen = table.chosen(rows)
    workshop = Workshop(out, size, Described(_sources(size.name, data, out)))
    plans = _PLANS[name](workshop, chosen, seeds)
    workshop.precision.record()
    drawn = time.monotonic()

    def keep(plan: CellPlan, cell: Mapping[str, Any]) -> None:
        nonlocal drawn
        summary = summarise(table, size.name, CellFolder(out).read(table.name))
        write_table(summary, out)
        if time.monotonic() - drawn > _DRAWN_EVERY:
            picture_of(summary, out)
            drawn = time.monotonic()
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
        if data is not None:
            raise BadInput(f"{data}: budget smoke uses the embedded small world, leave --data out")
        return SmallWorldData()
    if data is None:
        raise BadInput(f"budget {budget} uses the real benchmark files; name their folder by --data")
    if not data.is_dir():
        raise BadInput(f"{data}: is no folder, one with fewrel, distant, fuzzyred and semeval2010 is wanted")
    return DataFolder(data, out / "data")
