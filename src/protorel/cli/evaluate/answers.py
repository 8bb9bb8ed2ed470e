"""`protorel evaluate answers`: the official scorer of SemEval 2010 task 8."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protorel.cli.checks import check_data_files, check_files, check_results
from protorel.cli.options import JsonFile, seed_option
from protorel.cli.output import report, say, say_note


def answers(
    answers: Annotated[Path, typer.Argument(help="An answer file: id, tab and label on each line.")],
    key: Annotated[Path, typer.Argument(help="The correct answers: an answer file, or labelled statements.")],
    seed: Annotated[int, seed_option("the interval")] = 0,
    format: Annotated[
        str | None, typer.Option(help="Format of a key that contains statements and is not Parquet.")
    ] = None,
    json: JsonFile = None,
) -> None:
    """Score a SemEval 2010 task 8 answer file, and print the official report."""
    check_files(answers)
    if format is None and key.suffix != ".parquet":
        check_files(key)
    else:
        check_data_files(key, format=format)
    check_results(json)
    from protorel.evaluation import evaluate_answers  # imports torch, after the checks

    found = evaluate_answers(answers, key, format=format, seed=seed)
    report(found, json)
    say(found.result.report(), end="")
    # On standard error, so that standard output is what the official scorer prints.
    say_note(f"official macro-averaged F1 with its 95 % interval: {found.result.macro_f1}")
