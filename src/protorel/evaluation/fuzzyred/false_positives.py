"""Table 4: the share of false distant labels per relation, next to the paper's figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from protorel.evaluation.evaluated_model import environment
from protorel.evaluation.fuzzyred.judged_statements import Judged, judged
from protorel.evaluation.measurement import Measurement, as_numbers, measure
from protorel.io import write_json, write_text
from protorel.statements import DataSet

PRINTED = {"median": 0.490, "mean": 0.541, "maximum": 0.940, "minimum": 0.190}
"""What the paper prints. No share of 50 statements is 0.19, so its minimum cannot come from the released files."""


@dataclass(frozen=True, slots=True)
class FalsePositives:
    """The share of false labels of each relation, and statistics over relations."""

    per_relation: dict[str, float]
    statements: dict[str, int]
    over_relations: Measurement
    """The mean share, with an interval over relations."""

    @property
    def statistics(self) -> dict[str, float]:
        """Median, mean, maximum and minimum over relations, as in the paper."""
        shares = np.asarray(list(self.per_relation.values()))
        figures = {"median": np.median(shares), "mean": shares.mean(), "maximum": shares.max(), "minimum": shares.min()}
        return {name: float(figure) for name, figure in figures.items()}


def false_positives(given: Judged) -> FalsePositives:
    """Return the share of labels that the text does not express, per relation."""
    shares = {relation: float((~given.truth[rows]).mean()) for relation, rows in given.rows.items()}
    counts = {relation: len(rows) for relation, rows in given.rows.items()}
    return FalsePositives(shares, counts, measure(list(shares.values())))


def reproduce_table4(data: DataSet, out: Path) -> FalsePositives:
    """Write table4.md and table4.json, each atomically.

    Args:
        data: Judged statements: each has a label and `expresses`.
        out: The folder to write to.

    Returns:
        The share of false labels per relation.

    Raises:
        BadInput: A statement has no label or no `expresses`.
    """
    found = false_positives(judged(list(data.source()), str(data.path or data.name)))
    write_json(out / "table4.json", table4_json(found, data))
    write_text(out / "table4.md", table4_markdown(found))
    return found


def table4_json(found: FalsePositives, data: DataSet) -> dict[str, Any]:
    """Return the table and its settings."""
    return {
        "task": "table4",
        **found.statistics,
        "over_relations": as_numbers(found.over_relations),
        "printed": PRINTED,
        "per_relation": found.per_relation,
        "data": data.described(),
        **environment(),
    }


def table4_markdown(found: FalsePositives) -> str:
    """Return the paper's table with one row for the paper and one for the data, then the share of each relation."""
    names = ", ".join(PRINTED)
    rows = {"the paper": PRINTED, "these files": found.statistics}
    lines = [
        "# Table 4: false positives among distant labels, %",
        "",
        f"|  | {names.replace(', ', ' | ')} |",
        "|---|" + "---|" * len(PRINTED),
        *(f"| {name} | " + " | ".join(f"{100 * row[key]:.1f}" for key in PRINTED) + " |" for name, row in rows.items()),
        "",
        f"Over {len(found.per_relation)} relations with {sum(found.statements.values())} statements.",
        "",
        "| relation | statements | false positives |",
        "|---|---|---|",
    ]
    ordered = sorted(found.per_relation.items(), key=lambda item: (item[1], item[0]))
    lines += [f"| {_cell(name)} | {found.statements[name]} | {100 * share:.1f} |" for name, share in ordered]
    return "\n".join(lines) + "\n"


def _cell(name: str) -> str:
    """Escape what would end a cell or a row."""
    return " ".join(name.split()).replace("|", "\\|")
