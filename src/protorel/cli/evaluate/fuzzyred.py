"""`protorel evaluate fuzzyred`: does a model separate labels that the text expresses from those that it does not?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from protorel.cli.checks import find_model
from protorel.cli.options import (
    TEXTS,
    VECTORS,
    EquivalentsFile,
    FileFormat,
    JsonFile,
    Markers,
    Phrase,
    Readout,
    RunOrEncoder,
    seed_option,
)
from protorel.cli.output import report
from protorel.io import printable

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from protorel.evaluation import FuzzyRedResult, Measurement, ScoreFigures

_NAMED = 20
"""The most relations to name."""


def fuzzyred(
    model: RunOrEncoder,
    data: Annotated[Path, typer.Argument(help="Judged statements: Parquet, or FuzzyRED's files with --format.")],
    shot: Annotated[
        int | None,
        typer.Option(min=1, help="Number of true statements to draw; default: 1, 3 and 5, as in the paper."),
    ] = None,
    draws: Annotated[int, typer.Option(min=1, help="Number of draws per statement.")] = 100,
    seed: Annotated[int, seed_option("the draws")] = 0,
    descriptions: Annotated[
        Path | None,
        typer.Option(
            help="Names and descriptions of relations, to score relations that the model does not know.",
            rich_help_panel=TEXTS,
        ),
    ] = None,
    phrase: Phrase = None,
    whiten: Annotated[
        Path | None,
        typer.Option(help="Labelled statements of other relations, to standardise cosines.", rich_help_panel=VECTORS),
    ] = None,
    readout: Readout = None,
    marker_start: Markers = "brackets",
    equivalents: EquivalentsFile = None,
    format: FileFormat = None,
    json: JsonFile = None,
) -> None:
    """Print the paper's FuzzyRED accuracy, ranking scores, thresholds from other relations, and constant baselines."""
    source = find_model(model, [data, whiten], files=[descriptions, equivalents], results=[json], format=format)
    from protorel.evaluation import TextSettings

    texts = TextSettings.given(descriptions, phrase=phrase)
    from protorel.cli.console import Console
    from protorel.corpora import open_data
    from protorel.evaluation import FuzzyRedSettings, evaluate_fuzzyred  # imports torch, after the checks
    from protorel.statements import load_equivalents

    drawn = {} if shot is None else {"shots": (shot,)}
    found = evaluate_fuzzyred(
        source,
        open_data(data, format=format),
        FuzzyRedSettings(draws=draws, seed=seed, readout=readout, marker_start=marker_start, **drawn),
        texts=texts,
        background=open_data(whiten, format=format) if whiten else None,
        equivalents=load_equivalents(equivalents),
    )
    report(found, json, encoder=source)
    console = Console()
    for table in _tables(found.result):
        console.print(table)


def _tables(result: FuzzyRedResult) -> Iterator[Table | Text]:
    """Yield the accuracies with those of constants, the ranking of every kind of score, and the groups."""
    from rich.text import Text

    yield _accuracies(result)
    yield _rankings(result)
    for group in ("seen", "unseen"):
        names = result.groups[group]
        shown = ", ".join(map(printable, names[:_NAMED])) + (" …" if len(names) > _NAMED else "")
        title = "seen in training" if group == "seen" else "not seen in training"
        yield Text(f"{title}: {len(names)} relations{': ' + shown if names else ''}")


def _accuracies(result: FuzzyRedResult) -> Table:
    table = _table(
        f"accuracy on {result.statements} statements, {result.true} of them true, %",
        ("", "paper's rule", "threshold from other relations", "same, balanced"),
    )
    constants = {
        "accept all": result.baselines.accept_all,
        "reject all": result.baselines.reject_all,
        "majority per relation": result.baselines.majority,
    }
    for name, value in constants.items():
        table.add_row(name, f"{100 * value:.1f}", "", "")
    for shot, figures in result.shots.items():
        every = figures.groups["every"]
        accuracy = every.for_accuracy.accuracy if every.for_accuracy else None
        balanced = every.for_balance.balanced_accuracy if every.for_balance else None
        table.add_row(f"{shot}-shot", *map(_percent, (figures.rule.accuracy, accuracy, balanced)))
    return table


def _rankings(result: FuzzyRedResult) -> Table:
    table = _table(
        "ranking of true above false labels, mean over relations",
        ("scored by", "relations", "AUROC", "average precision", "by chance"),
    )
    rows = {f"{shot}-shot": figures.groups["every"] for shot, figures in result.shots.items()}
    rows |= {"prototype": _default(result.by_prototype)} if result.by_prototype else {}
    rows |= {f"text, {group}": _default(scores) for group, scores in result.by_description.items() if scores}
    for name, figures in rows.items():
        ranking = figures.ranking
        if ranking is not None:
            chance = sum(ranking.true_share.values()) / len(ranking.true_share)
            areas = [_share(ranking.macro_auroc), _share(ranking.macro_average_precision)]
            table.add_row(name, str(len(ranking.auroc)), *areas, f"0.500, {chance:.3f}")
    return table


def _default(scores: dict[str, ScoreFigures]) -> ScoreFigures:
    from protorel.evaluation import DEFAULT_SCORE

    return scores.get(DEFAULT_SCORE) or scores["cosine"]


def _table(title: str, columns: tuple[str, ...]) -> Table:
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    return table


def _percent(measurement: Measurement | None) -> str:
    if measurement is None:
        return "–"
    margin = f" ± {100 * measurement.margin:.1f}" if math.isfinite(measurement.margin) else ""
    return f"{100 * measurement.value:.1f}{margin}"


def _share(measurement: Measurement) -> str:
    margin = f" ± {measurement.margin:.3f}" if math.isfinite(measurement.margin) else ""
    return f"{measurement.value:.3f}{margin}"
