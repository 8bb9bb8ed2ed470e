"""Figure 3: few-shot accuracy by how many relations training sees."""

from __future__ import annotations

from pathlib import Path

from protorel_paper.experiments.budget_curves import draw_by_relations
from protorel_paper.experiments.budget_summary import BudgetSummary
from protorel_paper.figures.budget_figure import WIDE, write_budget_figure

TITLE = "accuracy by how many relations training sees"


def reproduce_figure3(summary: BudgetSummary, out: Path, *, width: float = WIDE) -> None:
    """Write figure3.png, .svg, .json and .md."""
    write_budget_figure(summary, "figure3", TITLE, draw_by_relations, out, width=width)
