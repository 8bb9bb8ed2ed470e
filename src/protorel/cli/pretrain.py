"""`protorel pretrain`: train an encoder and prototypes on distantly labelled statements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protorel.cli.checks import check_data_files, check_files, check_keep_statements, check_run_folder, check_training
from protorel.cli.options import (
    Decontaminate,
    EquivalentsFile,
    KeepState,
    KeepStatements,
    Overrides,
    RelationTexts,
    Resume,
    RunFolder,
)


def pretrain(
    recipe: Annotated[str, typer.Argument(help="Name of a recipe that we ship, such as col_final, or a YAML file.")],
    overrides: Overrides = None,
    *,
    data: Annotated[Path, typer.Option(help="Statements: a Parquet file, or a folder of Parquet files.")],
    out: RunFolder,
    decontaminate: Decontaminate = None,
    equivalents: EquivalentsFile = None,
    descriptions: RelationTexts = None,
    format: Annotated[str | None, typer.Option(help="Format of --decontaminate files that are not Parquet.")] = None,
    resume: Resume = False,
    keep_state: KeepState = False,
    keep_statements: KeepStatements = None,
) -> None:
    """Train an encoder and one prototype per relation on distantly labelled statements."""
    from protorel.recipes import load_recipe

    settings = load_recipe(recipe, overrides or [])
    kept = check_keep_statements(keep_statements)
    check_run_folder(out, resume=resume)
    check_data_files(data)
    check_data_files(*decontaminate or [], format=format)
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
    tests = [open_data(path, format=format) for path in decontaminate or []]
    from rich.text import Text

    from protorel.cli.console import Console
    from protorel.cli.progress import TrainingProgress, kept_lines, removed_lines, resumable, used_line
    from protorel.model import read_record
    from protorel.training import pretrain as pretrain_model  # imports torch, so only after all checks

    console = Console()
    tested = [("--decontaminate", path) for path in decontaminate or []]
    others = [
        ("--equivalents", equivalents),
        ("--descriptions", descriptions),
        ("--format", format),
        ("--keep-statements", keep_statements),
    ]
    given = [("--data", data), ("--out", out), *tested, *others]
    with (
        resumable("pretrain", [recipe, *(overrides or [])], given, keep_state=keep_state),
        TrainingProgress(console) as progress,
    ):
        model = pretrain_model(
            data,
            out,
            settings,
            decontaminate=tests,
            equivalents=meanings,
            descriptions=described,
            resume=resume,
            keep_state=keep_state,
            keep_statements=kept,
            watch=progress,
        )
    record = read_record(out)
    made = f"{len(model.relations)} prototypes and their encoder are in {out}"
    for line in (*removed_lines(record["leakage"]), *kept_lines(record), f"{used_line(record)}; {made}"):
        console.print(Text(line), soft_wrap=True)
