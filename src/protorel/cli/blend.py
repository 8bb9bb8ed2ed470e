"""`protorel blend`: several trainings that began from one encoder become one run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def blend(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN RUN [RUN]...", help="Runs that began from one encoder.")],
    out: Annotated[Path, typer.Option(metavar="RUN", help="The folder of the new run.")],
) -> None:
    """Make one run of several, by the mean of their weights; it is used like any other."""
    from protorel.model import blend_runs  # torch is loaded when it is needed, not for --help

    made = blend_runs(runs, out)
    typer.echo(
        f"the mean of {len(runs)} runs is in {out}, with prototypes of {len(made.relations)} relations that all know"
    )
