"""FuzzyRED's figures on a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from protorel.io import printable

if TYPE_CHECKING:
    from protorel.evaluation import FuzzyRedResult, Measurement, ScoreFigures

_NAMED = 20


def fuzzyred_tables(result: FuzzyRedResult) -> Iterator[Table | Text]:
    """Give the paper's accuracy beside that of constants, then the areas of every kind of score, then the groups."""
    yield _accuracies(result)
    yield _areas(result)
    for group in ("seen", "unseen"):
        names = result.groups[group]
        shown = ", ".join(map(printable, names[:_NAMED])) + (" …" if len(names) > _NAMED else "")
        what = "seen in training" if group == "seen" else "not seen in training"
        yield Text(f"{what}: {len(names)} relations{': ' + shown if names else ''}")


def _accuracies(result: FuzzyRedResult) -> Table:
    table = _table(
        f"accuracy on {result.statements} statements, {result.true} of them true, %",
        ("", "the paper's rule", "threshold from others", "same, balanced"),
    )
    constants = {
        "accept all": result.baselines.accept_all,
        "reject all": result.baselines.reject_all,
        "relation's majority": result.baselines.majority,
    }
    for name, value in constants.items():
        table.add_row(name, f"{100 * value:.1f}", "", "")
    for shot, figures in result.shots.items():
        every = figures.groups["every"]
        accuracy = every.for_accuracy.accuracy if every.for_accuracy else None
        balanced = every.for_balance.balanced_accuracy if every.for_balance else None
        table.add_row(f"{shot}-shot", *map(_percent, (figures.rule.accuracy, accuracy, balanced)))
    return table


def _areas(result: FuzzyRedResult) -> Table:
    from protorel.evaluation import DEFAULT

    table = _table(
        "true labels above false ones, mean over relations",
        ("scored by", "relations", "AUROC", "average precision", "by chance"),
    )
    rows = {f"{shot}-shot": figures.groups["every"] for shot, figures in result.shots.items()}
    rows |= {"prototype": _default(result.by_prototype, DEFAULT)} if result.by_prototype else {}
    for group, scores in result.by_description.items():
        if scores:
            rows[f"text, {group}"] = _default(scores, DEFAULT)
    for name, figures in rows.items():
        ranking = figures.ranking
        if ranking is not None:
            chance = sum(ranking.true_share.values()) / len(ranking.true_share)
            areas = [_share(ranking.macro_auroc), _share(ranking.macro_average_precision)]
            table.add_row(name, str(len(ranking.auroc)), *areas, f"0.500, {chance:.3f}")
    return table


def _default(scores: dict[str, ScoreFigures], name: str) -> ScoreFigures:
    return scores.get(name) or scores["cosine"]


def _table(title: str, columns: tuple[str, ...]) -> Table:
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
