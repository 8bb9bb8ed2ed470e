"""Opening or reading a data set by its path, whatever its format; pyarrow is loaded when a file is read."""

from __future__ import annotations

from pathlib import Path

from protorel.corpora.formats import files_of, format_named, read_rows
from protorel.corpora.rejects import Reject
from protorel.io import BadInput, is_folder
from protorel.statements import DataSet, Statement, check_parquet


def check_data(path: Path, *, format: str | None = None) -> None:
    """Refuse, without reading it and without pyarrow, a data set that is not there or not of the named format."""
    chosen = format_named(format) if format is not None else None
    if chosen is None or _is_parquet(path):
        check_parquet(path)
    else:
        files_of([path], chosen)


def open_data(path: Path, *, format: str | None = None) -> DataSet:
    """Open Parquet, or a foreign file of the named format.

    A command that takes several files has one `--format`, so Parquet is known by its name and taken as it is.
    """
    if format is None or _is_parquet(path):
        return DataSet.at(path)
    return DataSet.of(path.resolve().name, read_data(path, format=format), path)


def read_data(path: Path, *, format: str | None = None) -> list[Statement]:
    """Read statements from Parquet, or from a foreign file of the named format.

    A foreign row that is no statement is an error here: figures must not silently leave rows out.
    """
    from protorel.statements import read_statements  # pyarrow is loaded when it is needed

    if format is None:
        return read_statements(path)
    rows = list(read_rows([path], format_named(format)))
    rejects = [row for row in rows if isinstance(row, Reject)]
    if rejects:
        raise BadInput(
            f"{path}: {len(rejects)} of {len(rows)} rows are not statements; the first: {rejects[0]}. "
            "`protorel convert` keeps the others."
        )
    return [row for row in rows if isinstance(row, Statement)]


def _is_parquet(path: Path) -> bool:
    return path.suffix == ".parquet" or (is_folder(path) and any(path.glob("*.parquet")))
