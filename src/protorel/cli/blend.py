"""`protorel blend`: several trainings that began from one encoder become one run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protorel.cli.checks import check_new
from protorel.cli.output import say
from protorel.io import BadInput


def blend(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN RUN [RUN]...", help="Runs that began from one encoder.")],
    out: Annotated[Path, typer.Option(metavar="RUN", help="The folder of the new run.")],
) -> None:
    """Make one run of several, by the mean of their weights; it is used like any other."""
    from protorel.model import check_run

    if len(runs) < 2:
        raise BadInput(f"expected two or more runs, got {len(runs)}")
    for run in runs:
        check_run(run)
    check_new(out, "choose another --out")
    from protorel.model import blend_runs  # torch is loaded when all that was given is checked

    made = blend_runs(runs, out)
    say(f"the mean of {len(runs)} runs is in {out}, with prototypes of {len(made.relations)} relations that all know")
