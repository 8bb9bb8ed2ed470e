"""Orders for tables 1 to 3: which table, which rows, which budget, from what data. Nothing here needs torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from protorel.statements import BadInput
from protorel_paper.tables.rows import Row, Table
from protorel_paper.tables.table1 import TABLE1
from protorel_paper.tables.table2 import TABLE2
from protorel_paper.tables.table3 import TABLE3

TABLES: Mapping[str, Table] = {table.name: table for table in (TABLE1, TABLE2, TABLE3)}


@dataclass(frozen=True, slots=True)
class TableOrder:
    """A table to make."""

    name: str
    """A key of `TABLES`."""
    out: Path
    budget: str = "cpu"
    data: Path | None = None
    """Folder with the benchmark files; None for budget smoke, which uses the small world."""
    rows: tuple[str, ...] | None = None
    """Names of rows; None for all rows of the paper."""
    seeds: tuple[int, ...] = (0,)

    @property
    def table(self) -> Table:
        """The table as the paper prints it."""
        return TABLES[self.name]

    def check(self) -> tuple[Row, ...]:
        """Return the rows to make; refuse unknown rows, and data that do not fit the budget."""
        chosen = self.table.chosen(self.rows)
        if self.budget == "smoke":
            if self.data is not None:
                raise BadInput(f"{self.data}: budget smoke uses the embedded small world, leave --data out")
        elif self.data is None:
            raise BadInput(f"budget {self.budget} uses the real benchmark files; name their folder by --data")
        elif not self.data.is_dir():
            raise BadInput(
                f"{self.data}: expected a folder with fewrel, distant, fuzzyred and semeval2010; no such folder"
            )
        return chosen
