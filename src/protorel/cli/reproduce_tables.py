"""Tables 1 to 3 on the terminal: which row is trained now, and what came of each cell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protorel.cli.output import say_note
from protorel.cli.training_lines import removed_lines
from protorel.io import WorkFailed

if TYPE_CHECKING:
    from protorel.reproduction import CellPlan


def make_table(
    part: str, out: Path, *, budget: str, data: Path | None, rows: str | None, seeds: str, processes: int
) -> None:
    """Train and judge a table's rows, and say each figure as it is found."""
    from protorel.evaluation import seed_list
    from protorel.reproduction import TABLES, check_order

    chosen = tuple(name.strip() for name in rows.split(",")) if rows is not None else None
    check_order(part, budget=budget, data=data, rows=chosen)
    drawn_by = seed_list(seeds)
    from rich.text import Text

    from protorel.cli.console import Console
    from protorel.cli.point_progress import watching
    from protorel.model import read_record
    from protorel.reproduction import (  # torch is loaded when all that was given is checked
        Audience,
        TableOrder,
        made_together,
    )

    console = Console()
    table = TABLES[part]

    def kept_apart(run: Path) -> None:
        for line in removed_lines(read_record(run)["leakage"]):
            console.print(Text(line), soft_wrap=True)

    def say(plan: CellPlan, cell: Mapping[str, Any]) -> None:
        row = table.row(plan.row)
        figures = ", ".join(
            f"{column} {_points(cell['figures'][column])} ({'–' if printed is None else f'{printed:.2f}'})"
            for column, printed in zip(table.columns, row.printed, strict=True)
            if column in cell["figures"]
        )
        console.print(Text(f"{row.title}, seed {plan.seed}: {figures}"), soft_wrap=True)

    order = TableOrder(part, out, budget=budget, data=data, rows=chosen, seeds=drawn_by)
    audience = Audience(watching(console), kept_apart, say)
    _, progress = made_together(order, processes=processes, audience=audience)
    console.markdown((out / f"{part}.md").read_text(encoding="utf-8"))
    console.print(f"{progress.made} cells made in {out}", highlight=False, soft_wrap=True)
    for note in progress.notes:
        say_note(note)
    if progress.elsewhere:
        say_note(f"in work by another process: {', '.join(progress.elsewhere)}")
    if progress.failed:
        raise WorkFailed(f"{len(progress.failed)} rows could not be made: {'; '.join(progress.failed)}")


def _points(figure: Mapping[str, Any]) -> str:
    """Write a share in percent, with its margin where it has one."""
    margin = "" if figure["margin"] is None else f" ± {100 * figure['margin']:.2f}"
    return f"{100 * figure['value']:.2f}{margin}"
