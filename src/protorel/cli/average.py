"""`protorel average`: average the weights of runs that started from one encoder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protorel.cli.checks import check_new
from protorel.cli.output import say
from protorel.io import BadInput

_Runs = Annotated[
    list[Path], typer.Argument(metavar="RUN RUN [RUN]...", help="Runs that started from the same encoder.")
]
_Out = Annotated[Path, typer.Option(metavar="RUN", help="Folder of the new run.")]


def average(runs: _Runs, out: _Out) -> None:
    """Average the weights of several runs (model soup) into a new run."""
    from protorel.model import check_run

    if len(runs) < 2:
        raise BadInput(f"expected two or more runs, got {len(runs)}")
    for run in runs:
        check_run(run)
    check_new(out, "choose another --out")
    from protorel.model import average_runs  # imports torch, after the checks

    made = average_runs(runs, out)
    say(f"{out}: the mean of {len(runs)} runs, with prototypes of the {len(made.relations)} relations that all know")
