"""Reading a data set for use, whatever its format."""

from __future__ import annotations

from pathlib import Path

from protorel.corpora.formats import format_named, read_rows
from protorel.corpora.rejects import Reject
from protorel.statements import BadInput, Statement, read_statements


def read_data(path: Path, *, format: str | None = None) -> list[Statement]:
    """Read statements from Parquet, or from a foreign file of the named format.

    A foreign row that is no statement is an error here: figures must not silently leave rows out.
    """
    if format is None:
        return read_statements(path)
    rows = list(read_rows([path], format_named(format)))
    rejects = [row for row in rows if isinstance(row, Reject)]
    if rejects:
        raise BadInput(
            f"{path}: {len(rejects)} of {len(rows)} rows are no statements; the first: {rejects[0]}. "
            "`protorel convert` keeps the others"
        )
    return [row for row in rows if isinstance(row, Statement)]
