"""Options that several commands have alike: what each is called and says of itself stands here once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

LARGEST_SEED = 2**32 - 1
"""What every random generator takes as its seed."""


def _each_once(overrides: list[str] | None) -> list[str] | None:
    from protorel.recipes import check_overrides

    check_overrides(overrides or [])
    return overrides


Overrides = Annotated[
    list[str] | None,
    typer.Argument(metavar="[KEY=VALUE]...", help="Settings of the recipe to change.", callback=_each_once),
]
Decontaminate = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="Test set whose overlap is removed from the data; may be repeated."),
]
EquivalentsFile = Annotated[
    Path | None, typer.Option(help="YAML table of relations that mean the same, in addition to ours.")
]
Phrase = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Also read each relation by a made-up statement: text with {head}, {tail} and {name}. "
        "Default: the run's own phrase; none: texts alone.",
        rich_help_panel="Relation texts",
    ),
]
FileFormat = Annotated[str | None, typer.Option(help="Format of files that are not Parquet.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue a stopped run.")]
KeepState = Annotated[
    bool,
    typer.Option(
        "--keep-state", help="Keep the optimiser state of the finished run, three times the size of its weights."
    ),
]
