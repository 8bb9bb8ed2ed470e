"""Curves of a data budget: the paper's figures 3 and 4, and the whole grid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from protorel.report import printed_colour
from protorel_paper.drawing import MARKS, legend_below, new_figure, printed, write_figure
from protorel_paper.experiments.data_budget.rows import UNTUNED, BudgetRow
from protorel_paper.experiments.data_budget.summary import BudgetSummary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ALL = float("inf")
_NAME = 40
Curve = tuple[str, Sequence[BudgetRow]]
"""A name and its rows."""


def write_budget_curves(summary: BudgetSummary, folder: Path) -> None:
    """Write curves.png and .svg (accuracy by relations and by statements), and grid.png and .svg (every point).

    Nothing is written if no point was trained.
    """
    if any(row.recipe != UNTUNED for row in summary.rows):
        _write_curves(summary, folder)
        _write_grid(summary, folder)


def _write_curves(summary: BudgetSummary, folder: Path) -> None:
    """Draw accuracy by relations at the most statements, and by statements at the most relations."""
    figure, (left, right) = new_figure(2)
    draw_by_relations(left, summary)
    draw_by_statements(right, summary)
    right.set_ylabel("")
    _same_height([left, right])
    legend_below(figure, left)
    write_figure(figure, folder, "curves")


def draw_by_relations(axes: Axes, summary: BudgetSummary) -> None:
    """Draw figure 3: accuracy by relations at the most statements per relation, one curve per recipe and encoder."""
    curves = []
    for name, own in _tuned(summary.rows):
        most = max(map(_each, own))
        curves.append((name, _with_untuned([row for row in own if _each(row) == most], summary.rows)))
    _draw(axes, curves, _relations)
    axes.set(xlabel="relations trained on", title=_held("statements of each", curves, _each))
    axes.set_ylabel(f"{summary.task} accuracy, %")


def draw_by_statements(axes: Axes, summary: BudgetSummary) -> None:
    """Draw figure 4: accuracy by statements per relation at the most relations, one curve per recipe and encoder."""
    curves = []
    for name, own in _tuned(summary.rows):
        most = max(row.relations for row in own)
        curves.append((name, _with_untuned([row for row in own if row.relations == most], summary.rows)))
    _draw(axes, curves, _each)
    axes.set(xlabel="statements of each relation", title=_held("relations", curves, _relations))
    axes.set_ylabel(f"{summary.task} accuracy, %")


def _write_grid(summary: BudgetSummary, folder: Path) -> None:
    """Draw one panel per recipe and encoder, one curve per number of statements."""
    tuned = _tuned(summary.rows)
    columns = min(3, len(tuned))
    figure, panels = new_figure(columns, -(-len(tuned) // columns))
    for panel in panels[len(tuned) :]:
        panel.remove()
    amounts = sorted({_each(row) for _, own in tuned for row in own})
    for panel, (name, own) in zip(panels, tuned, strict=False):
        rows = {each: [row for row in own if _each(row) == each] for each in amounts}
        _draw(panel, [(_amount(each), _with_untuned(rows[each], summary.rows)) for each in amounts], _relations)
        panel.set(title=printed(name, _NAME), xlabel="relations trained on", ylabel=f"{summary.task} accuracy, %")
    _same_height(panels[: len(tuned)])
    legend_below(figure, panels[0], title="statements of each relation")
    write_figure(figure, folder, "grid")


def _draw(axes: Axes, curves: Sequence[Curve], place: Callable[[BudgetRow], float]) -> None:
    """Draw curves over evenly spaced amounts, each point with its interval over relations, side by side."""
    amounts = sorted({place(row) for _, rows in curves for row in rows})
    for number, (name, rows) in enumerate(curves):
        shift = 0.06 * (number - (len(curves) - 1) / 2)
        ordered = sorted(rows, key=place)
        axes.errorbar(
            [amounts.index(place(row)) + shift for row in ordered],
            [100 * row.accuracy for row in ordered],
            yerr=[100 * row.over_relations.margin if row.over_relations.count > 1 else 0 for row in ordered],
            label=printed(name, _NAME),
            color=printed_colour(number),
            marker=MARKS[number % len(MARKS)],
            markersize=5,
            linewidth=1.5,
            elinewidth=0.8,
            capsize=2,
        )
    axes.set_xticks(range(len(amounts)), [_amount(amount) for amount in amounts])


def _tuned(rows: Iterable[BudgetRow]) -> list[tuple[str, list[BudgetRow]]]:
    found: dict[str, list[BudgetRow]] = {}
    for row in rows:
        if row.recipe != UNTUNED:
            found.setdefault(f"{row.recipe}, {row.start}", []).append(row)
    return list(found.items())


def _with_untuned(own: Sequence[BudgetRow], rows: Iterable[BudgetRow]) -> list[BudgetRow]:
    """Return a curve that starts at 0, the untuned encoder."""
    starts = {row.start for row in own}
    return [*(row for row in rows if row.recipe == UNTUNED and row.start in starts), *own]


def _same_height(panels: Sequence[Axes]) -> None:
    """Give all panels one scale, so that they can be compared by eye."""
    limits = [panel.get_ylim() for panel in panels]
    for panel in panels:
        panel.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))


def _relations(row: BudgetRow) -> float:
    return row.relations


def _each(row: BudgetRow) -> float:
    return _ALL if row.statements is None else row.statements


def _amount(amount: float) -> str:
    return "all" if amount == _ALL else f"{amount:.0f}"


def _held(what: str, curves: Sequence[Curve], place: Callable[[BudgetRow], float]) -> str:
    """Return the title of a panel: what is constant along its curves."""
    amounts = {place(row) for _, rows in curves for row in rows if row.recipe != UNTUNED}
    return f"{', '.join(map(_amount, sorted(amounts)))} {what}"
