"""A table as a plot: our figures with intervals, the paper's, and human performance; one panel per column."""

from __future__ import annotations

import math
from pathlib import Path

from protorel.report import printed_colour
from protorel_paper.drawing import legend_below, new_figure, write_figure
from protorel_paper.tables.summary.table_summary import TableSummary


def write_plot(summary: TableSummary, folder: Path) -> None:
    """Write NAME.png and NAME.svg; nothing if no cell is finished."""
    if not any(row.figures for row in summary.rows):
        return
    table = summary.table
    figure, panels = new_figure(len(table.columns), width=2.6, height=1.2 + 0.24 * len(table.rows))
    heights = range(len(summary.rows), 0, -1)
    for panel, column in zip(panels, table.columns, strict=True):
        found = [(height, row.figures[column]) for height, row in zip(heights, summary.rows, strict=True)
                 if column in row.figures]  # fmt: skip
        panel.errorbar(
            [100 * one.ours.value for _, one in found],
            [height for height, _ in found],
            xerr=[100 * one.ours.margin if math.isfinite(one.ours.margin) else 0 for _, one in found],
            fmt="o",
            color=printed_colour(0),
            markersize=4,
            capsize=2,
            label=f"ours, budget {summary.budget}",
        )
        printed = zip(heights, [row.row.printed[table.columns.index(column)] for row in summary.rows], strict=True)
        theirs = [(value, height) for height, value in printed if value is not None]
        panel.plot(
            [value for value, _ in theirs],
            [height for _, height in theirs],
            "D",
            color=printed_colour(1),
            markerfacecolor="none",
            markersize=5,
            label="the paper",
        )
        if column in table.people:
            panel.axvline(table.people[column], color="#777777", linestyle=":", label="people")
        panel.set(title=column, xlabel="%", ylim=(0.4, len(summary.rows) + 0.6))
        panel.grid(axis="x", color="#dddddd", linewidth=0.6)
        panel.set_yticks(list(heights), [row.row.title for row in summary.rows] if panel is panels[0] else [])
    legend_below(figure, panels[0])
    write_figure(figure, folder, table.name)
