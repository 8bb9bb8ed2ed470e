"""`protorel evaluate pairs`: which facts do the statements of each entity pair give?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from protorel.cli.checks import find_model
from protorel.cli.options import EquivalentsFile, FileFormat, JsonFile, seed_option
from protorel.cli.output import report

if TYPE_CHECKING:
    from protorel.evaluation import PairFigures


def pairs(
    model: Annotated[
        str,
        typer.Argument(metavar="RUN", help="A run folder; scores come from its classifier, or else its prototypes."),
    ],
    data: Annotated[Path, typer.Argument(help="Distantly labelled statements: Parquet, or any file with --format.")],
    combine: Annotated[
        Literal["one", "mean", "attention"],
        typer.Option(help="How to aggregate the statements of an entity pair.", rich_help_panel="Aggregation"),
    ] = "one",
    attention_scale: Annotated[
        float, typer.Option(help="Factor on cosines before attention's softmax.", rich_help_panel="Aggregation")
    ] = 1.0,
    no_relation: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="The label for no relation, such as NA; default: the classifier's."),
    ] = None,
    at: Annotated[
        list[int] | None,
        typer.Option(min=1, help="N of precision at N, repeatable; default: 100, 200, 300.", show_default=False),
    ] = None,
    seed: Annotated[int, seed_option("the intervals")] = 0,
    equivalents: EquivalentsFile = None,
    format: FileFormat = None,
    json: JsonFile = None,
) -> None:
    """Print precision at N and the area under the precision-recall curve over entity pairs."""
    source = find_model(model, [data], files=[equivalents], results=[json], format=format)
    from protorel.evaluation import PairSettings

    reported = {"at": tuple(at)} if at else {}
    settings = PairSettings(
        combine=combine, no_relation=no_relation, attention_scale=attention_scale, seed=seed, **reported
    )
    from protorel.cli.console import Console
    from protorel.corpora import open_data
    from protorel.evaluation import evaluate_pairs  # imports torch, after the checks
    from protorel.statements import load_equivalents

    found = evaluate_pairs(source, open_data(data, format=format), settings, equivalents=load_equivalents(equivalents))
    report(found, json)
    console = Console()
    for facts, figures in (("by labels", found.result.labelled), ("by text", found.result.expressed)):
        if figures is not None:
            for line in _lines(facts, figures):
                console.print(line, highlight=False, soft_wrap=True)


def _lines(facts: str, figures: PairFigures) -> list[str]:
    return [
        f"{facts}: {figures.facts} facts of {figures.pairs} pairs",
        *(f"  precision at {number}: {figure}" for number, figure in figures.precision_at.items()),
        f"  area under the precision-recall curve: {figures.area}",
        f"  best F1: {figures.max_f1}",
    ]
