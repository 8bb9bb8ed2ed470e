"""`protorel finetune`: tune a run or an encoder on labelled statements."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from protorel.cli.checks import check_data_files, check_files, check_keep_statements, check_run_folder, check_training
from protorel.cli.options import (
    Decontaminate,
    EquivalentsFile,
    FileFormat,
    KeepState,
    KeepStatements,
    Overrides,
    RelationTexts,
    Resume,
    RunFolder,
)
from protorel.cli.output import say_note


def finetune(
    recipe: Annotated[str, typer.Argument(help="Name of a recipe that we ship, such as semeval, or a YAML file.")],
    overrides: Overrides = None,
    *,
    data: Annotated[Path, typer.Option(help="Labelled statements: Parquet, or any file with --format.")],
    out: RunFolder,
    model: Annotated[
        str | None,
        typer.Option(help="What to tune: a run folder, `minilm`, `cnn` or a hub id; by default the recipe's encoder."),
    ] = None,
    dev: Annotated[Path | None, typer.Option(help="Labelled statements that choose the best epoch.")] = None,
    decontaminate: Decontaminate = None,
    equivalents: EquivalentsFile = None,
    descriptions: RelationTexts = None,
    format: FileFormat = None,
    resume: Resume = False,
    keep_state: KeepState = False,
    keep_statements: KeepStatements = None,
) -> None:
    """Tune a run or an encoder on labelled statements."""
    from protorel.recipes import check_tuning, load_finetune_recipe, start_of

    settings = load_finetune_recipe(recipe, overrides or [])
    kept = check_keep_statements(keep_statements)
    check_run_folder(out, resume=resume)
    check_data_files(data, dev, *decontaminate or [], format=format)
    check_files(equivalents, descriptions)
    check_training(settings, start_of(model, settings))
    from protorel.corpora import open_data
    from protorel.statements import load_descriptions, load_equivalents
    from protorel.training import check_at_once

    meanings = load_equivalents(equivalents)
    described = load_descriptions(descriptions) if descriptions else None
    check_tuning(settings, dev=dev is not None, descriptions=described)
    opened = open_data(data, format=format)
    if not resume:
        check_at_once(opened.source, settings)
    from rich.text import Text

    from protorel.cli.console import Console
    from protorel.cli.progress import (
        TrainingProgress,
        best_epoch_lines,
        kept_lines,
        removed_lines,
        resumable,
        used_line,
    )
    from protorel.model import read_record
    from protorel.training import TuningWarning
    from protorel.training import finetune as finetune_model  # imports torch, so only after all checks

    console = Console()
    tested = [("--decontaminate", path) for path in decontaminate or []]
    others = [
        ("--equivalents", equivalents),
        ("--descriptions", descriptions),
        ("--format", format),
        ("--keep-statements", keep_statements),
    ]
    given = [("--model", model), ("--data", data), ("--out", out), ("--dev", dev), *tested, *others]
    with (
        resumable("finetune", [recipe, *(overrides or [])], given, keep_state=keep_state),
        TrainingProgress(console) as progress,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("always", TuningWarning)
        warnings.showwarning = lambda message, *_, **__: say_note(message)
        finetune_model(
            model,
            opened,
            out,
            settings,
            dev=open_data(dev, format=format) if dev else None,
            decontaminate=[open_data(path, format=format) for path in decontaminate or []],
            equivalents=meanings,
            descriptions=described,
            resume=resume,
            keep_state=keep_state,
            keep_statements=kept,
            watch=progress,
        )
    record = read_record(out)
    used = f"{used_line(record)}; {record['data']['relations']} labels"
    closing = (*best_epoch_lines(record), *kept_lines(record), f"the tuned run is in {out}")
    for line in (*removed_lines(record["leakage"]), used, *closing):
        console.print(Text(line), soft_wrap=True)
