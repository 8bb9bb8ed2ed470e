"""The tables of the paper that are made row by row, and what each is made from. Nothing here needs torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from protorel.statements import BadInput
from protorel_paper.tables.rows import Row, Table
from protorel_paper.tables.table1 import TABLE1
from protorel_paper.tables.table2 import TABLE2
from protorel_paper.tables.table3 import TABLE3

TABLES: Mapping[str, Table] = {table.name: table for table in (TABLE1, TABLE2, TABLE3)}


def check_order(name: str, *, budget: str, data: Path | None, rows: Sequence[str] | None) -> tuple[Row, ...]:
    """Return the rows to make; refuse rows that a table has not, and data that do not fit the budget."""
    chosen = TABLES[name].chosen(rows)
    if budget == "smoke":
        if data is not None:
            raise BadInput(f"{data}: budget smoke uses the embedded small world, leave --data out")
    elif data is None:
        raise BadInput(f"budget {budget} uses the real benchmark files; name their folder by --data")
    elif not data.is_dir():
        raise BadInput(f"{data}: expected a folder with fewrel, distant, fuzzyred and semeval2010; no such folder")
    return chosen
