"""Figure 4: few-shot accuracy by how many statements of each relation training sees."""

from __future__ import annotations

from pathlib import Path

from protorel_paper.experiments.budget_curves import draw_by_statements
from protorel_paper.experiments.budget_summary import BudgetSummary
from protorel_paper.figures.budget_figure import WIDE, write_budget_figure

TITLE = "accuracy by how many statements of each relation training sees"


def reproduce_figure4(summary: BudgetSummary, out: Path, *, width: float = WIDE) -> None:
    """Write figure4.png, .svg, .json and .md."""
    write_budget_figure(summary, "figure4", TITLE, draw_by_statements, out, width=width)
