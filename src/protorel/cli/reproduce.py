"""`protorel reproduce`: a table or a figure of the paper, beside what the paper prints."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from protorel.cli.checks import check_data_files
from protorel.cli.options import LARGEST_SEED, FileFormat, Seeds
from protorel.cli.reproduce_figures import (
    BudgetPoints,
    FigurePaths,
    FigureRun,
    FigureWidth,
    NamesFile,
    SemEvalData,
    SemEvalRun,
    make_figures,
)
from protorel.io import BadInput


class Part(StrEnum):
    """What can be reproduced so far."""

    TABLE1 = "table1"
    TABLE2 = "table2"
    TABLE3 = "table3"
    TABLE4 = "table4"
    FIGURE1 = "figure1"
    FIGURE2 = "figure2"
    FIGURE3 = "figure3"
    FIGURE4 = "figure4"
    FIGURE5 = "figure5"
    FIGURE6 = "figure6"
    FIGURES = "figures"


class Budget(StrEnum):
    """How much work may go into it."""

    SMOKE = "smoke"
    CPU = "cpu"
    PAPER = "paper"


_WITH_ROWS = (Part.TABLE1, Part.TABLE2, Part.TABLE3)
_FIGURE6_DRAWS = {Budget.SMOKE: 20, Budget.CPU: 500, Budget.PAPER: 500}


def reproduce(
    part: Annotated[Part, typer.Argument(help="Which table or figure of the paper.")],
    out: Annotated[Path, typer.Option(help="The folder where it goes; what is finished there is kept.")],
    data: Annotated[
        Path | None,
        typer.Option(
            help="tables 1 to 3: a folder with the benchmark files. table4: FuzzyRED, as Parquet or --format. "
            "figures 1, 2: the statements to draw."
        ),
    ] = None,
    budget: Annotated[Budget, typer.Option(help="smoke only shows that it works.")] = Budget.CPU,
    rows: Annotated[str | None, typer.Option(help="tables 1 to 3: only these rows, such as mtb,col_final.")] = None,
    seeds: Seeds = "0",
    processes: Annotated[
        int, typer.Option(min=1, max=64, help="tables 1 to 3: rows that are made at a time; they share the cores.")
    ] = 1,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Random seed for the figures.")] = 0,
    format: FileFormat = None,
    model: FigureRun = None,
    semeval_model: SemEvalRun = None,
    semeval_data: SemEvalData = None,
    points: BudgetPoints = None,
    descriptions: NamesFile = None,
    width: FigureWidth = None,
) -> None:
    """A table or a figure of the paper, as Markdown and JSON, and as a picture where it is one."""
    from protorel.io import check_folder_target, made_folder

    check_folder_target(out)
    if part not in _WITH_ROWS and (rows, seeds, processes) != (None, "0", 1):
        raise BadInput(f"{part}: has no rows to choose from; --rows, --seeds and --processes are for tables 1 to 3")
    match part:
        case Part.TABLE4:
            if data is None:
                raise BadInput("table4 is about FuzzyRED; name its statements with --data")
            check_data_files(data, format=format)
            from protorel.corpora import open_data
            from protorel.evaluation import reproduce_table4

            reproduce_table4(open_data(data, format=format), out)
        case Part.FIGURE6:
            from protorel.cli.console import Console
            from protorel.report import reproduce_figure6

            with Console(stderr=True).status("drawing wrong labels"):  # shown on a terminal only
                reproduce_figure6(out, seed=seed, draws=_FIGURE6_DRAWS[budget])
        case Part.FIGURE1 | Part.FIGURE2 | Part.FIGURE3 | Part.FIGURE4 | Part.FIGURE5 | Part.FIGURES:
            paths = FigurePaths(model, data, semeval_model, semeval_data, points, descriptions)
            smoke, draws = budget == Budget.SMOKE, _FIGURE6_DRAWS[budget]
            with made_folder(out):
                make_figures(part, out, paths, smoke=smoke, draws=draws, width=width, seed=seed, format=format)
        case _:
            from protorel.cli.reproduce_tables import make_table

            with made_folder(out):
                make_table(part, out, budget=budget, data=data, rows=rows, seeds=seeds, processes=processes)
            return
    from protorel.cli.console import Console

    Console().markdown((out / f"{part}.md").read_text(encoding="utf-8"))
