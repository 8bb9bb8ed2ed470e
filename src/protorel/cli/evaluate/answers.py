"""`protorel evaluate answers`: the official scorer of SemEval 2010 task 8."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protorel.cli.checks import check_data_files, check_files, check_results
from protorel.cli.options import LARGEST_SEED
from protorel.cli.output import say, say_note


def answers(
    answers: Annotated[Path, typer.Argument(help="An answer file: id, tab and label on each line.")],
    key: Annotated[Path, typer.Argument(help="The correct answers: an answer file, or labelled statements.")],
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Random seed for the interval.")] = 0,
    format: Annotated[
        str | None, typer.Option(help="Format of a key that contains statements and is not Parquet.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write figures and settings to this file.")] = None,
) -> None:
    """Score a SemEval 2010 task 8 answer file, and print the official report."""
    check_files(answers)
    if format is None and key.suffix != ".parquet":
        check_files(key)
    else:
        check_data_files(key, format=format)
    check_results(json)
    from protorel.evaluation import evaluate_answers  # imports torch, after the checks
    from protorel.io import write_json

    found = evaluate_answers(answers, key, format=format, seed=seed)
    if json is not None:
        write_json(json, found.as_json)
    say(found.result.report(), end="")
    # On standard error, so that standard output is what the official scorer prints.
    for note in (*found.notes, f"official macro-averaged F1 with its 95 % interval: {found.result.macro_f1}"):
        say_note(note)
