"""`protorel evaluate fuzzyred`: does a run tell labels that a text expresses from those that it only carries?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from protorel.cli.checks import check_data_files, check_files, check_models, check_results
from protorel.cli.options import LARGEST_SEED, EquivalentsFile, FileFormat, Phrase
from protorel.cli.output import say_note
from protorel.recipes import ReadoutName


def fuzzyred(
    run: Annotated[str, typer.Argument(help="A run folder, `minilm`, a folder with an encoder, or a hub id.")],
    data: Annotated[Path, typer.Argument(help="Judged statements: Parquet, or FuzzyRED's files with --format.")],
    shot: Annotated[
        int | None,
        typer.Option(min=1, help="Number of true statements to draw; default: 1, 3 and 5, as in the paper."),
    ] = None,
    draws: Annotated[int, typer.Option(min=1, help="How often they are drawn for each statement.")] = 100,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Random seed for the draws.")] = 0,
    descriptions: Annotated[
        Path | None, typer.Option(help="Names and descriptions of relations: unseen ones are judged by these.")
    ] = None,
    phrase: Phrase = None,
    background: Annotated[
        Path | None, typer.Option(help="Labelled statements of other relations: they say what cosines are usual.")
    ] = None,
    readout: Annotated[ReadoutName | None, typer.Option(help="How to read an encoder that is not a run.")] = None,
    marker_start: Annotated[
        Literal["brackets", "unused"],
        typer.Option(help="What entity markers are in an encoder that is not a run: brackets, or unused tokens."),
    ] = "brackets",
    equivalents: EquivalentsFile = None,
    format: FileFormat = None,
    json: Annotated[Path | None, typer.Option(help="Write the result here, with all that made it.")] = None,
) -> None:
    """The paper's FuzzyRED accuracy, and what it hides: ranking, thresholds from elsewhere, constants."""
    check_models([run])
    check_data_files(data, background, format=format)
    check_files(descriptions, equivalents)
    check_results(json)
    from protorel.evaluation import TextSettings

    texts = TextSettings.given(descriptions, phrase=phrase)
    from protorel.cli.console import Console
    from protorel.cli.fuzzyred_tables import fuzzyred_tables
    from protorel.corpora import open_data
    from protorel.evaluation import (
        SHOTS,
        judge_fuzzyred,  # torch is loaded when all that was given is checked
    )
    from protorel.io import write_json
    from protorel.statements import load_equivalents

    found = judge_fuzzyred(
        run,
        open_data(data, format=format),
        shots=SHOTS if shot is None else (shot,),
        draws=draws,
        seed=seed,
        texts=texts,
        background=open_data(background, format=format) if background else None,
        readout=readout,
        marker_start=marker_start,
        equivalents=load_equivalents(equivalents),
    )
    if json is not None:
        write_json(json, found.as_json)
    for note in found.notes:
        say_note(note)
    console = Console()
    for table in fuzzyred_tables(found.result):
        console.print(table)
