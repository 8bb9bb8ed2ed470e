"""`protorel evaluate classify`: F1 of the labels that a fine-tuned run gives."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from protorel.cli.checks import find_model
from protorel.cli.options import EquivalentsFile, FileFormat, JsonFile, LabelledData, seed_option
from protorel.cli.output import report, say, say_note


def classify(
    model: Annotated[str, typer.Argument(metavar="RUN", help="A run folder that `protorel finetune` made.")],
    data: LabelledData,
    scorer: Annotated[
        Literal["semeval", "micro", "macro"],
        typer.Option(help="SemEval's official scorer, or micro- or macro-averaged F1."),
    ] = "macro",
    answers: Annotated[Path | None, typer.Option(help="Write an answer file: id, tab, label.")] = None,
    seed: Annotated[int, seed_option("the interval")] = 0,
    equivalents: EquivalentsFile = None,
    format: FileFormat = None,
    json: JsonFile = None,
) -> None:
    """Print the F1 of the labels that a fine-tuned run gives, with an interval."""
    source = find_model(model, [data], files=[equivalents], results=[answers, json], format=format)
    source.check_classifies()
    from protorel.corpora import open_data
    from protorel.evaluation import SemEvalScore, evaluate_classification  # imports torch, after the checks
    from protorel.statements import load_equivalents

    found = evaluate_classification(
        source,
        open_data(data, format=format),
        scorer=scorer,
        seed=seed,
        answers=answers,
        equivalents=load_equivalents(equivalents),
    )
    report(found, json)
    if isinstance(found.result, SemEvalScore):
        say(found.result.report(), end="")
        say_note(f"official macro-averaged F1 with its 95 % interval: {found.f1}")
    else:
        say(f"{scorer} F1 {found.f1}; accuracy {found.result.accuracy}")
