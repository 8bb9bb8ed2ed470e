"""`protorel evaluate classify`: how often a tuned run gives the right label."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from protorel.cli.checks import check_data_files, check_files, check_results
from protorel.cli.options import LARGEST_SEED, EquivalentsFile, FileFormat
from protorel.cli.output import say, say_note


def classify(
    run: Annotated[str, typer.Argument(help="A run folder that `protorel finetune` made.")],
    data: Annotated[Path, typer.Argument(help="Labelled statements: Parquet, or any file with --format.")],
    scorer: Annotated[
        Literal["semeval", "micro", "macro"],
        typer.Option(help="The task's official scorer, or F1 over all statements, or averaged over relations."),
    ] = "macro",
    answers: Annotated[Path | None, typer.Option(help="Write an answer file here: id, tab, label.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Random seed for the interval.")] = 0,
    equivalents: EquivalentsFile = None,
    format: FileFormat = None,
    json: Annotated[Path | None, typer.Option(help="Write the result here, with all that made it.")] = None,
) -> None:
    """F1 of the labels that a tuned run gives, with an interval."""
    from protorel.model import check_classifies

    check_classifies(run)
    check_data_files(data, format=format)
    check_files(equivalents)
    check_results(answers, json)
    from protorel.corpora import open_data
    from protorel.evaluation import SemEvalScore, judge_classify  # torch is loaded when all that was given is checked
    from protorel.io import write_json
    from protorel.statements import load_equivalents

    judged = judge_classify(
        run,
        open_data(data, format=format),
        scorer=scorer,
        seed=seed,
        answers=answers,
        equivalents=load_equivalents(equivalents),
    )
    if json is not None:
        write_json(json, judged.as_json)
    for note in judged.notes:
        say_note(note)
    if isinstance(judged.result, SemEvalScore):
        say(judged.result.report(), end="")
        say_note(f"official macro-averaged F1 with its 95 % interval: {judged.f1}")
    else:
        say(f"{scorer} F1 {judged.f1}; accuracy {judged.result.accuracy}")
