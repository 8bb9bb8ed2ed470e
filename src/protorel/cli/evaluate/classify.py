"""`protorel evaluate classify`: F1 of the labels that a fine-tuned run gives."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from protorel.cli.checks import check_data_files, check_files, check_results
from protorel.cli.options import LARGEST_SEED, EquivalentsFile, FileFormat
from protorel.cli.output import say, say_note


def classify(
    model: Annotated[str, typer.Argument(metavar="RUN", help="A run folder that `protorel finetune` made.")],
    data: Annotated[Path, typer.Argument(help="Labelled statements: Parquet, or any file with --format.")],
    scorer: Annotated[
        Literal["semeval", "micro", "macro"],
        typer.Option(help="SemEval's official scorer, or micro- or macro-averaged F1."),
    ] = "macro",
    answers: Annotated[Path | None, typer.Option(help="Write an answer file: id, tab, label.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Random seed for the interval.")] = 0,
    equivalents: EquivalentsFile = None,
    format: FileFormat = None,
    json: Annotated[Path | None, typer.Option(help="Write figures and settings to this file.")] = None,
) -> None:
    """Print the F1 of the labels that a fine-tuned run gives, with an interval."""
    from protorel.model import ModelSource

    source = ModelSource.find(model)
    source.check_classifies()
    check_data_files(data, format=format)
    check_files(equivalents)
    check_results(answers, json)
    from protorel.corpora import open_data
    from protorel.evaluation import SemEvalScore, evaluate_classification  # imports torch, after the checks
    from protorel.io import write_json
    from protorel.statements import load_equivalents

    found = evaluate_classification(
        source,
        open_data(data, format=format),
        scorer=scorer,
        seed=seed,
        answers=answers,
        equivalents=load_equivalents(equivalents),
    )
    if json is not None:
        write_json(json, found.as_json)
    for note in found.notes:
        say_note(note)
    if isinstance(found.result, SemEvalScore):
        say(found.result.report(), end="")
        say_note(f"official macro-averaged F1 with its 95 % interval: {found.f1}")
    else:
        say(f"{scorer} F1 {found.f1}; accuracy {found.result.accuracy}")
