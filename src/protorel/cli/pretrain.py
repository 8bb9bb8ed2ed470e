"""`protorel pretrain`: noisy statements in, an encoder with prototypes out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protorel.cli.checks import check_data_files, check_files, check_run_folder, check_training
from protorel.cli.options import ApartFrom, EquivalentsFile, KeepState, Overrides, Resume
from protorel.cli.training_lines import go_on, kept_apart_lines
from protorel.io import Interrupted


def pretrain(
    recipe: Annotated[str, typer.Argument(help="A recipe that we ship, such as col_final, or a YAML file.")],
    overrides: Overrides = None,
    *,
    data: Annotated[Path, typer.Option(help="Statements: a Parquet file, or a folder of them.")],
    out: Annotated[Path, typer.Option(help="The run folder to make.")],
    apart_from: ApartFrom = None,
    equivalents: EquivalentsFile = None,
    descriptions: Annotated[
        Path | None,
        typer.Option(help="What relations mean: pid2name.json, Wikidata properties, or YAML; for objective.text."),
    ] = None,
    format: Annotated[str | None, typer.Option(help="The format of --apart-from files that are not Parquet.")] = None,
    resume: Resume = False,
    keep_state: KeepState = False,
) -> None:
    """Train an encoder and one prototype for each relation on distantly labelled statements."""
    from protorel.recipes import load_recipe

    settings = load_recipe(recipe, overrides or [])
    check_run_folder(out, resume=resume)
    check_data_files(data)
    check_data_files(*apart_from or [], format=format)
    check_files(equivalents, descriptions)
    check_training(settings, settings.encoder)
    from protorel.corpora import open_data
    from protorel.recipes import check_texts
    from protorel.statements import load_descriptions, load_equivalents
    from protorel.training import check_at_once

    meanings = load_equivalents(equivalents)
    described = load_descriptions(descriptions) if descriptions else None
    check_texts(settings.objective, described, phrase=settings.phrase)
    if not resume:
        check_at_once(open_data(data).source, settings)
    tests = [open_data(path, format=format) for path in apart_from or []]
    from rich.text import Text

    from protorel.cli.console import Console
    from protorel.cli.progress import TrainingProgress
    from protorel.model import read_record
    from protorel.training import pretrain as pretrain_model  # torch is loaded when all that was given is checked

    console = Console()
    try:
        with TrainingProgress(console) as progress:
            model = pretrain_model(
                data,
                out,
                settings,
                apart_from=tests,
                equivalents=meanings,
                descriptions=described,
                resume=resume,
                keep_state=keep_state,
                watch=progress,
            )
    except Interrupted as stopped:
        tested = [("--apart-from", path) for path in apart_from or []]
        others = [("--equivalents", equivalents), ("--descriptions", descriptions), ("--format", format)]
        given: list[tuple[str, Path | str | None]] = [("--data", data), ("--out", out), *tested, *others]
        command = go_on("pretrain", recipe, overrides or [], given, keep_state=keep_state)
        raise Interrupted(f"{stopped}. Go on with: {command}") from None
    record = read_record(out)
    used, leakage = record["data"], record["leakage"]
    for line in kept_apart_lines(leakage):
        console.print(Text(line), soft_wrap=True)
    console.print(
        f"{used['statements']} statements used, {len(used['rejected'])} rejected, {used['unlabelled']} unlabelled; "
        f"{len(model.relations)} prototypes and their encoder are in {out}",
        highlight=False,
        soft_wrap=True,
    )
