"""Figures 3 and 4: few-shot accuracy by relations and by statements per relation, from points of a data budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from protorel.statements import BadInput
from protorel_paper.drawing import Caption, legend_below, new_figure, plain, write_captioned
from protorel_paper.experiments import (
    POINTS,
    TASK,
    UNTUNED,
    BudgetSummary,
    draw_by_relations,
    draw_by_statements,
    summarise_budget,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE = 5.0
_CLAIM = 600


def read_budget(folder: Path) -> BudgetSummary:
    """Read the points of a folder that `protorel-paper data-budget` wrote."""
    points = list(POINTS.read(folder).values())
    if not points:
        raise BadInput(f"{folder}: expected a folder that `protorel-paper data-budget` wrote, found no points")
    if other := [point for point in points if point["task"] != TASK]:
        raise BadInput(f"{folder}: expected points of {TASK}, got {other[0]['name']} of {other[0]['task']}")
    summary = summarise_budget(points)
    if all(row.recipe == UNTUNED for row in summary.rows):
        raise BadInput(f"{folder}: expected at least one trained point, found untuned encoders only")
    return summary


def reproduce_figure3(summary: BudgetSummary, out: Path, *, width: float = WIDE) -> None:
    """Write figure3.png, .svg, .json and .md: accuracy by the number of relations."""
    title = "accuracy by how many relations training sees"
    _write(summary, "figure3", title, draw_by_relations, out, width=width)


def reproduce_figure4(summary: BudgetSummary, out: Path, *, width: float = WIDE) -> None:
    """Write figure4.png, .svg, .json and .md: accuracy by the number of statements per relation."""
    title = "accuracy by how many statements of each relation training sees"
    _write(summary, "figure4", title, draw_by_statements, out, width=width)


def _write(
    summary: BudgetSummary,
    name: str,
    title: str,
    draw: Callable[[Axes, BudgetSummary], None],
    out: Path,
    *,
    width: float,
) -> None:
    says = [
        f"{summary.task} accuracy on relations that training never saw; bars are 95 % intervals over test relations. "
        f"0 is the starting encoder untuned. {_seeds(summary)}",
        "\n".join(f"- {plain(claim.words, _CLAIM)}" for claim in summary.claims),
    ]
    caption = Caption(name, title, says, {"drawn from": summary.data, "judged by": summary.test})
    known = summary.as_json()
    numbers = {key: known[key] for key in ("judged_by", "data", "test", "rows", "claims")}
    write_captioned(draw_budget_figure(summary, draw, width=width), caption, numbers, out)


def draw_budget_figure(
    summary: BudgetSummary, draw: Callable[[Axes, BudgetSummary], None], *, width: float = WIDE
) -> Figure:
    """Draw curves on the scale that figures 3 and 4 share, so that they can be compared."""
    figure, (axes,) = new_figure(1, width=width, height=0.72 * width)
    draw(axes, summary)
    axes.set_title(axes.get_title(), fontsize=9.5)
    axes.xaxis.label.set_fontsize(8.5)
    axes.yaxis.label.set_fontsize(8.5)
    axes.tick_params(labelsize=8)
    axes.set_ylim(*_limits(summary))
    legend_below(figure, axes, columns=max(1, int(width // 2.4)))
    return figure


def _limits(summary: BudgetSummary) -> tuple[float, float]:
    ends = [
        100 * (row.accuracy + sign * (row.over_relations.margin if row.over_relations.count > 1 else 0))
        for row in summary.rows
        for sign in (-1, 1)
    ]
    room = max(1.0, 0.05 * (max(ends) - min(ends)))
    return min(ends) - room, max(ends) + room


def _seeds(summary: BudgetSummary) -> str:
    seeds: Iterable[int] = sorted({seed for row in summary.rows if row.recipe != UNTUNED for seed in row.seeds})
    return f"Seeds: {', '.join(map(str, seeds))}."
