"""`protorel evaluate fewshot`: few-shot accuracy with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from protorel.corpora.opening import open_data
from protorel.statements import load_equivalents
from protorel.statements.files import write_json


def fewshot(
    run: Annotated[str, typer.Argument(help="A run folder, `minilm`, a folder with an encoder, or a hub id.")],
    data: Annotated[Path, typer.Argument(help="Labelled statements: Parquet, or any file with --format.")],
    way: Annotated[int, typer.Option(help="How many relations an episode has.")] = 5,
    shot: Annotated[int, typer.Option(help="How many examples of each are given.")] = 1,
    episodes: Annotated[int, typer.Option(help="How many episodes are drawn.")] = 10_000,
    seed: Annotated[int, typer.Option(help="What the episodes are drawn by.")] = 0,
    method: Annotated[str, typer.Option(help="prototype, mean or nearest: how examples decide.")] = "prototype",
    readout: Annotated[
        str | None, typer.Option(help="start, mention, cls or mean: how to read an encoder that is not a run.")
    ] = None,
    marker_start: Annotated[
        Literal["brackets", "unused"],
        typer.Option(help="What entity markers are in an encoder that is not a run: brackets, or unused tokens."),
    ] = "brackets",
    background: Annotated[
        Path | None,
        typer.Option(help="Labelled statements of other relations: vectors are whitened by the spread within those."),
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Judge these relations only: a list that we ship (fewrel_dev), or a file.")
    ] = None,
    equivalents: Annotated[
        Path | None, typer.Option(help="A YAML table of relations that mean the same, on top of ours.")
    ] = None,
    format: Annotated[str | None, typer.Option(help="The format of the files that are not Parquet.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write the result here, with all that made it.")] = None,
) -> None:
    """Few-shot accuracy on relations that the run need not know."""
    from protorel.evaluation import judge_few_shot  # torch is loaded when it is needed, not for --help

    judged = judge_few_shot(
        run,
        open_data(data, format=format),
        way=way,
        shot=shot,
        episodes=episodes,
        seed=seed,
        method=method,
        readout=readout,
        marker_start=marker_start,
        background=open_data(background, format=format) if background else None,
        only=only,
        equivalents=load_equivalents(equivalents),
    )
    if json is not None:
        write_json(json, judged.as_json)
    for note in judged.notes:
        typer.echo(f"note: {note}", err=True)
    Console().print(f"{judged.result}; over relations {judged.result.over_relations}", highlight=False, soft_wrap=True)
