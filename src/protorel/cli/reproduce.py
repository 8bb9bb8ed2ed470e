"""`protorel reproduce`: a table or a figure of the paper, beside what the paper prints."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown

from protorel.cli.options import FileFormat
from protorel.corpora.opening import open_data
from protorel.statements import BadInput


class Part(StrEnum):
    """What can be reproduced so far."""

    TABLE4 = "table4"
    FIGURE6 = "figure6"


class Budget(StrEnum):
    """How much work may go into it."""

    SMOKE = "smoke"
    CPU = "cpu"
    PAPER = "paper"


_FIGURE6_DRAWS = {Budget.SMOKE: 20, Budget.CPU: 500, Budget.PAPER: 500}


def reproduce(
    part: Annotated[Part, typer.Argument(help="Which table or figure of the paper.")],
    out: Annotated[Path, typer.Option(help="The folder where it goes.")],
    data: Annotated[Path | None, typer.Option(help="table4: FuzzyRED, as Parquet, or its files with --format.")] = None,
    budget: Annotated[Budget, typer.Option(help="smoke only shows that it works.")] = Budget.CPU,
    seed: Annotated[int, typer.Option(min=0, help="figure6: what the wrong labels are drawn by.")] = 0,
    format: FileFormat = None,
) -> None:
    """A table or a figure of the paper, as Markdown and JSON, and as a picture where it is one."""
    if out.is_file():
        raise BadInput(f"{out}: is a file, a folder is wanted")
    match part:
        case Part.TABLE4:
            if data is None:
                raise BadInput("table4 is about FuzzyRED; name its statements with --data")
            from protorel.evaluation.fuzzyred.false_positives import reproduce_table4

            reproduce_table4(open_data(data, format=format), out)
        case Part.FIGURE6:
            from protorel.report.figure6 import reproduce_figure6

            with Console(stderr=True).status("drawing wrong labels"):  # shown on a terminal only
                reproduce_figure6(out, seed=seed, draws=_FIGURE6_DRAWS[budget])
    Console().print(Markdown((out / f"{part}.md").read_text(encoding="utf-8")))
