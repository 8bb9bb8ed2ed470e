"""Options that several commands have alike: what each is called and says of itself stands here once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protorel.recipes import CombineName

LARGEST_SEED = 2**32 - 1
"""What every random generator takes as its seed."""


def _each_once(overrides: list[str] | None) -> list[str] | None:
    from protorel.recipes import check_overrides

    check_overrides(overrides or [])
    return overrides


Overrides = Annotated[
    list[str] | None,
    typer.Argument(metavar="[KEY=VALUE]...", help="Settings on top of the recipe.", callback=_each_once),
]
ApartFrom = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="Drop what the data share with this test set; may be given several times."),
]
EquivalentsFile = Annotated[
    Path | None, typer.Option(help="A YAML table of relations that mean the same, on top of ours.")
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
FileFormat = Annotated[str | None, typer.Option(help="The format of the files that are not Parquet.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")]
KeepState = Annotated[
    bool, typer.Option("--keep-state", help="Keep the optimiser state of the finished run, three times its weights.")
]

BudgetRecipe = Annotated[str, typer.Argument(help="A recipe that we ship, such as budget, or a YAML file.")]
DrawnData = Annotated[Path, typer.Option(help="Statements to draw from: Parquet, or any file with --format.")]
TestData = Annotated[Path, typer.Option(help="Labelled statements of other relations to judge by.")]
PointsFolder = Annotated[Path, typer.Option(help="Where points, summary and curves go; finished points are kept.")]
StartModels = Annotated[
    list[str] | None, typer.Option(metavar="RUN", help="An encoder to start from; may be given several times.")
]
Against = Annotated[
    list[str] | None, typer.Option(metavar="RECIPE", help="A recipe to compare with; may be given several times.")
]
Seeds = Annotated[str, typer.Option(help="Random seeds for statements and trainings.")]
Way = Annotated[int, typer.Option(min=1, help="Relations per episode.")]
Shot = Annotated[int, typer.Option(min=1, help="Examples per relation.")]
Episodes = Annotated[int, typer.Option(min=1, help="Number of episodes.")]
Method = Annotated[CombineName, typer.Option(help="How examples decide.")]
TestEach = Annotated[int, typer.Option(min=0, help="Statements of each test relation that are encoded; 0 for all.")]
