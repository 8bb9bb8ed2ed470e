"""Arguments and options that several commands share: each is declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from protorel.recipes import ReadoutName

LARGEST_SEED = 2**32 - 1
"""The largest seed that every random generator takes."""
EPISODES, TEXTS, OPEN_SET, VECTORS = "Episodes", "Relation texts", "Open set", "Vectors"
"""Panels of the help of `protorel evaluate`."""


def seed_option(what: str, *, panel: str | None = None) -> Any:
    """Return the option `--seed`, for `Annotated[int, seed_option("the episodes")]`."""
    return typer.Option(min=0, max=LARGEST_SEED, help=f"Random seed for {what}.", rich_help_panel=panel)


def _check_overrides(overrides: list[str] | None) -> list[str] | None:
    from protorel.recipes import check_overrides

    check_overrides(overrides or [])
    return overrides


# Data

LabelledData = Annotated[Path, typer.Argument(help="Labelled statements: Parquet, or any file with --format.")]
FileFormat = Annotated[str | None, typer.Option(help="Format of files that are not Parquet.")]
EquivalentsFile = Annotated[
    Path | None, typer.Option(help="YAML table of relations that mean the same, in addition to ours.")
]

# Training

Overrides = Annotated[
    list[str] | None,
    typer.Argument(metavar="[KEY=VALUE]...", help="Settings of the recipe to change.", callback=_check_overrides),
]
RunFolder = Annotated[Path, typer.Option(help="Run folder to write.")]
Decontaminate = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="Test set whose overlap is removed from the data; may be repeated."),
]
RelationTexts = Annotated[
    Path | None,
    typer.Option(
        help="Names and descriptions of relations, for recipes that train on them: "
        "pid2name.json, Wikidata properties or YAML."
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue a stopped run.")]
KeepState = Annotated[
    bool,
    typer.Option(
        "--keep-state", help="Keep the optimiser state of the finished run, three times the size of its weights."
    ),
]

KeepStatements = Annotated[
    str | None,
    typer.Option(
        metavar="N|all",
        help="Keep the training statements, or N of them drawn evenly over relations, as evidence for `predict`.",
    ),
]

# Evaluation

RunOrEncoder = Annotated[
    str,
    typer.Argument(
        metavar="RUN", help="A run folder, `protorel-small`, `minilm`, a folder with an encoder, or a hub id."
    ),
]
Phrase = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Also read each relation by a made-up statement: text with {head}, {tail} and {name}. "
        "Default: the run's own phrase; none: texts alone.",
        rich_help_panel=TEXTS,
    ),
]
Readout = Annotated[
    ReadoutName | None, typer.Option(help="How to read an encoder that is not a run.", rich_help_panel=VECTORS)
]
Markers = Annotated[
    Literal["brackets", "unused"],
    typer.Option(
        help="Entity markers of an encoder that is not a run: brackets, or unused tokens.", rich_help_panel=VECTORS
    ),
]
JsonFile = Annotated[Path | None, typer.Option(help="Write figures and settings to this file.")]
