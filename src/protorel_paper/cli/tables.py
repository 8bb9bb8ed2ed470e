"""`protorel-paper table1` to `table4`: train and evaluate the rows, and print our figures next to the paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from protorel.cli import FileFormat, check_data_files, removed_lines, say_note
from protorel.io import BadInput, WorkFailed
from protorel_paper.cli.options import Budget, BudgetName, Out, Seeds

if TYPE_CHECKING:
    from protorel_paper.engine.cells import CellPlan

TABLES_1_TO_3 = ("table1", "table2", "table3")
_HELP = {
    "table1": "Few-shot accuracy on FewRel, every row of the paper's table 1.",
    "table2": "Accuracy on FuzzyRED by the paper's rule, every row of table 2.",
    "table3": "SemEval 2010 task 8 by the official scorer, every row of table 3.",
}


def table_command(name: str) -> Callable[..., None]:
    """Return the command of table 1, 2 or 3."""

    def command(
        out: Out,
        data: Annotated[Path | None, typer.Option(help="Folder with the benchmark files; not with smoke.")] = None,
        budget: BudgetName = "cpu",
        rows: Annotated[str | None, typer.Option(help="Only these rows, such as mtb,col_final.")] = None,
        seeds: Seeds = "0",
        processes: Annotated[int, typer.Option(min=1, max=64, help="Rows to make at a time.")] = 1,
    ) -> None:
        from protorel.io import check_folder_target, made_folder

        check_folder_target(out)
        with made_folder(out):
            make_table(name, out, budget=budget, data=data, rows=rows, seeds=seeds, processes=processes)

    command.__doc__ = _HELP[name]
    return command


def table4(
    out: Out,
    data: Annotated[Path | None, typer.Option(help="FuzzyRED: Parquet, or any file with --format.")] = None,
    format: FileFormat = None,
    budget: BudgetName = "cpu",  # noqa: ARG001 (every budget counts all labels)
) -> None:
    """Share of false positives among distant labels, by relation."""
    from protorel.io import check_folder_target

    check_folder_target(out)
    if data is None:
        raise BadInput("table4 is about FuzzyRED; name its statements with --data")
    check_data_files(data, format=format)
    from protorel.cli import Console
    from protorel.corpora import open_data
    from protorel.evaluation import reproduce_table4

    reproduce_table4(open_data(data, format=format), out)
    Console().markdown((out / "table4.md").read_text(encoding="utf-8"))


def make_table(
    part: str, out: Path, *, budget: Budget, data: Path | None, rows: str | None, seeds: str, processes: int
) -> None:
    """Train and evaluate a table's rows, and print each figure as it is found."""
    from protorel_paper.experiments.lists import seed_list
    from protorel_paper.tables.order import TABLES, check_order

    chosen = tuple(name.strip() for name in rows.split(",")) if rows is not None else None
    check_order(part, budget=budget, data=data, rows=chosen)
    drawn_by = seed_list(seeds)
    from rich.text import Text

    from protorel.cli import Console
    from protorel.model import read_record
    from protorel_paper.cli.progress import watching
    from protorel_paper.engine.runner import Audience
    from protorel_paper.tables.parallel import TableOrder, made_together  # torch is loaded after all checks

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
