"""`protorel evaluate pairs`: which facts do the statements of each entity pair give?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from protorel.cli.checks import check_data_files, check_files, check_models, check_results
from protorel.cli.options import LARGEST_SEED, EquivalentsFile, FileFormat
from protorel.cli.output import say_note

if TYPE_CHECKING:
    from protorel.evaluation import PairFigures


def pairs(
    run: Annotated[str, typer.Argument(help="A run folder: scores come from its classifier, else its prototypes.")],
    data: Annotated[Path, typer.Argument(help="Distantly labelled statements: Parquet, or any file with --format.")],
    combine: Annotated[
        Literal["one", "mean", "attention"], typer.Option(help="How the statements of a pair speak together.")
    ] = "one",
    no_relation: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The label that says that there is none, such as NA.")
    ] = None,
    at: Annotated[list[int] | None, typer.Option(min=1, help="Precision at N; may be given several times.")] = None,
    attention_scale: Annotated[
        float, typer.Option(help="What cosines are multiplied by before attention's softmax.")
    ] = 1.0,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Random seed for the intervals.")] = 0,
    equivalents: EquivalentsFile = None,
    format: FileFormat = None,
    json: Annotated[Path | None, typer.Option(help="Write the result here, with all that made it.")] = None,
) -> None:
    """Precision at N and the precision-recall area over entity pairs, as distant supervision is judged."""
    check_models([run])
    check_data_files(data, format=format)
    check_files(equivalents)
    check_results(json)
    from protorel.cli.console import Console
    from protorel.corpora import open_data
    from protorel.evaluation import judge_pairs  # torch is loaded when all that was given is checked
    from protorel.io import write_json
    from protorel.statements import load_equivalents

    judged = judge_pairs(
        run,
        open_data(data, format=format),
        combine=combine,
        no_relation=no_relation,
        at=at or (100, 200, 300),
        attention_scale=attention_scale,
        seed=seed,
        equivalents=load_equivalents(equivalents),
    )
    if json is not None:
        write_json(json, judged.as_json)
    for note in judged.notes:
        say_note(note)
    console = Console()
    for gold, figures in (("by labels", judged.result.labelled), ("by the text", judged.result.expressed)):
        if figures is not None:
            for line in _lines(gold, figures):
                console.print(line, highlight=False, soft_wrap=True)


def _lines(gold: str, figures: PairFigures) -> list[str]:
    return [
        f"{gold}: {figures.facts} facts of {figures.pairs} pairs",
        *(f"  precision at {number}: {figure}" for number, figure in figures.precision_at.items()),
        f"  area under the precision-recall curve: {figures.area}",
        f"  best F1: {figures.max_f1}",
    ]
