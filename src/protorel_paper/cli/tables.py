"""`protorel-paper table1` to `table4`: train and evaluate the rows, and print our figures next to the paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from protorel.cli import FileFormat, check_data_files, removed_lines
from protorel.io import BadInput
from protorel_paper.cli.options import BudgetName, Out, Seeds

if TYPE_CHECKING:
    from protorel_paper.engine import Plan
    from protorel_paper.tables import TableOrder

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
        processes: Annotated[int, typer.Option(min=1, max=64, help="Number of rows to make in parallel.")] = 1,
    ) -> None:
        from protorel.io import check_folder_target, made_folder
        from protorel_paper.experiments import seed_list
        from protorel_paper.tables import TableOrder

        check_folder_target(out)
        with made_folder(out):
            order = TableOrder(name, out, budget, data, _names(rows), seed_list(seeds))
            make_table(order, processes=processes)

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
        raise BadInput("table4 needs the statements of FuzzyRED: --data FILE")
    check_data_files(data, format=format)
    from protorel.cli import Console
    from protorel.corpora import open_data
    from protorel.evaluation import reproduce_table4

    reproduce_table4(open_data(data, format=format), out)
    Console().markdown((out / "table4.md").read_text(encoding="utf-8"))


def make_table(order: TableOrder, *, processes: int) -> None:
    """Train and evaluate a table's rows, and print each figure as it is found."""
    order.check()
    from rich.text import Text

    from protorel.cli import Console
    from protorel.model import read_record
    from protorel_paper.cli.progress import say_outcome, watching
    from protorel_paper.engine import Audience
    from protorel_paper.tables import make_in_parallel

    console = Console()

    def trained(run: Path) -> None:
        for line in removed_lines(read_record(run)["leakage"]):
            console.print(Text(line), soft_wrap=True)

    def finished(_plan: Plan, cell: Mapping[str, Any]) -> None:
        row = order.table.row(cell["row"])
        figures = ", ".join(
            f"{column} {_points(cell['figures'][column])} ({'–' if printed is None else f'{printed:.2f}'})"
            for column, printed in zip(order.table.columns, row.printed, strict=True)
            if column in cell["figures"]
        )
        console.print(Text(f"{row.title}, seed {cell['seed']}: {figures}"), soft_wrap=True)

    audience = Audience(watching(console), trained, finished)
    _, progress = make_in_parallel(order, processes=processes, audience=audience)
    console.markdown((order.out / f"{order.name}.md").read_text(encoding="utf-8"))
    console.print(f"{progress.made} cells made in {order.out}", highlight=False, soft_wrap=True)
    say_outcome(progress)


def _points(figure: Mapping[str, Any]) -> str:
    """Return a share in percent, with its margin if it has one."""
    margin = "" if figure["margin"] is None else f" ± {100 * figure['margin']:.2f}"
    return f"{100 * figure['value']:.2f}{margin}"


def _names(rows: str | None) -> tuple[str, ...] | None:
    return None if rows is None else tuple(name.strip() for name in rows.split(","))
