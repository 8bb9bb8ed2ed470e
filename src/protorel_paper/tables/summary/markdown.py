"""A table as Markdown and JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from protorel.evaluation import as_numbers
from protorel_paper.engine import provenance, signed, write_summary
from protorel_paper.tables.rows import Table
from protorel_paper.tables.summary.paired import PairedDifference
from protorel_paper.tables.summary.table_summary import Figure, Seconds, SummaryRow, TableSummary

_NONE = "–"


def write_table(summary: TableSummary, out: Path) -> None:
    """Write NAME.md and NAME.json into a folder, each atomically."""
    write_summary(out, summary.table.name, table_json(summary), table_markdown(summary))


def table_markdown(summary: TableSummary) -> str:
    """Return the table as Markdown: our figures with intervals, the paper's in brackets."""
    table = summary.table
    lines = [
        f"# {table.title}",
        "",
        f"Budget `{summary.budget}`. Our figure ± its 95 % interval, then the paper's in brackets. ↑ and ↓: better or "
        "worse than MTB, the 95 % interval of the paired difference over relations excludes zero; ≈: it includes zero.",
        "",
        f"| method | {' | '.join(table.columns)} | minutes: pretraining + tuning + evaluation |",
        f"|---|{'---|' * (len(table.columns) + 1)}",
        *(_line(row, summary) for row in summary.rows),
        "",
        *_below(table),
    ]
    compared = [row for row in summary.rows if any(figure.final_less for figure in row.figures.values())]
    if compared:
        lines += ["", *_comparison(summary, compared)]
    return "\n".join(lines).rstrip() + "\n"


def _line(row: SummaryRow, summary: TableSummary) -> str:
    cells = []
    for column, printed in zip(summary.table.columns, row.row.printed, strict=True):
        theirs = _NONE if printed is None else f"{printed:.2f}"
        figure = row.figures.get(column)
        cells.append(f"{_ours(figure)} ({theirs})" if figure else f"({theirs})")
    return f"| {row.row.title} | {' | '.join(cells)} | {_minutes(row.seconds)} |"


def _minutes(spent: Seconds | None) -> str:
    """Return the minutes of pretraining, tuning and evaluation."""
    if spent is None:
        return _NONE
    return " + ".join(f"{seconds / 60:.1f}" for seconds in (spent.pretraining, spent.tuning, spent.judging))


def _ours(figure: Figure) -> str:
    margin = f" ± {100 * figure.ours.margin:.1f}" if math.isfinite(figure.ours.margin) else ""
    return f"{100 * figure.ours.value:.1f}{margin} {figure.arrow}".rstrip()


def _below(table: Table) -> list[str]:
    people = ", ".join(f"{column} {value:.2f}" for column, value in table.people.items())
    return [*([f"Human performance, as the paper gives it: {people}."] if people else []), *table.notes]


def _comparison(summary: TableSummary, rows: list[SummaryRow]) -> list[str]:
    columns = summary.table.columns
    return [
        "COL Final minus each row, in points: ± the 95 % interval over episodes if there are any, ± the interval over "
        "relations, and p of a sign-flip test over relations.",
        "",
        f"| COL Final minus | {' | '.join(columns)} |",
        f"|---|{'---|' * len(columns)}",
        *(f"| {row.row.title} | {' | '.join(_less(row.figures.get(column)) for column in columns)} |" for row in rows),
    ]


def _less(figure: Figure | None) -> str:
    found = figure.final_less if figure else None
    if found is None:
        return _NONE
    episodes = f" ± {100 * found.over_episodes.margin:.1f};" if found.over_episodes is not None else ""
    return f"{signed(100 * found.value)}{episodes} ± {100 * found.over_relations.margin:.1f}, p {found.chance:.3f}"


def table_json(summary: TableSummary) -> dict[str, Any]:
    """Return every figure of the table as a share between 0 and 1."""
    return {
        "task": summary.table.name,
        "budget": summary.budget,
        "columns": list(summary.table.columns),
        "people": {column: value / 100 for column, value in summary.table.people.items()},
        "rows": [_row_json(row) for row in summary.rows],
        "cells": summary.cells,
        "data": summary.data,
        **provenance(),
    }


def _row_json(row: SummaryRow) -> dict[str, Any]:
    return {
        "row": row.row.name,
        "title": row.row.title,
        "source": row.row.source,
        "pretrained_by": row.row.pretrain,
        "tuned_by": row.row.tune,
        "seconds": None if row.seconds is None else {**asdict(row.seconds), "total": row.seconds.total},
        "figures": {column: _figure_json(figure) for column, figure in row.figures.items()},
    }


def _figure_json(figure: Figure) -> dict[str, Any]:
    return {
        **as_numbers(figure.ours),
        "printed": None if figure.printed is None else figure.printed / 100,
        "seeds": list(figure.seeds),
        "over_seeds": as_numbers(figure.over_seeds) if figure.over_seeds else None,
        "over_relations": as_numbers(figure.over_relations),
        "less_mtb": _paired_json(figure.less_rival),
        "col_final_less_this": _paired_json(figure.final_less),
    }


def _paired_json(found: PairedDifference | None) -> dict[str, Any] | None:
    return found.as_json() if found else None
