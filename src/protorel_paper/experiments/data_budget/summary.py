"""The summary of a data budget: a table of its rows, and the verdicts on the paper's two claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from protorel_paper.engine import Claim, interval_json, shown_margin, summary_json
from protorel_paper.experiments.data_budget.claims import budget_claims
from protorel_paper.experiments.data_budget.rows import BudgetRow, budget_rows


@dataclass(frozen=True, slots=True)
class BudgetSummary:
    """All points of a folder, put together."""

    task: str
    """The few-shot setting, such as 5w1s."""
    rows: Sequence[BudgetRow]
    claims: Sequence[Claim]
    data: Mapping[str, Any]
    test: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the contents of summary.json."""
        return summary_json("data_budget_summary", self, [_row_json(row) for row in self.rows])

    def as_markdown(self) -> str:
        """Return the contents of summary.md."""
        lines = [
            f"# Data budget: {self.task} accuracy, %",
            "",
            "| start | recipe | relations × statements | statements in all | accuracy | over relations | over seeds |",
            "|---|---|---|---|---|---|---|",
        ]
        lines += [
            f"| {row.start} | {row.recipe} | {row.amount} | {row.total:.0f} | {100 * row.accuracy:.1f} | "
            f"{shown_margin(row.over_relations)} | {shown_margin(row.over_seeds)} |"
            for row in self.rows
        ]
        return "\n".join([*lines, "", *(f"- {claim.words}" for claim in self.claims), ""])


def summarise_budget(points: Sequence[Mapping[str, Any]]) -> BudgetSummary:
    """Return the summary of at least one point."""
    rows = budget_rows(points)
    first = points[0]
    task = first["settings"]["experiment"]["test"]["task"]
    return BudgetSummary(task, rows, budget_claims(rows), first["data"], first["test"])


def _row_json(row: BudgetRow) -> dict[str, Any]:
    return {
        "start": row.start,
        "recipe": row.recipe,
        "relations": row.relations,
        "statements": "all" if row.statements is None else row.statements,
        "statements_in_all": row.total,
        "seeds": list(row.seeds),
        "accuracy": row.accuracy,
        "over_relations": interval_json(row.over_relations),
        "over_seeds": interval_json(row.over_seeds),
        "per_relation": row.per_relation,
    }
