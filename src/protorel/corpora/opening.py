"""Opening a data set by its path, whatever its format."""

from __future__ import annotations

from pathlib import Path

from protorel.corpora.reading import read_data
from protorel.statements.data_set import DataSet


def open_data(path: Path, *, format: str | None = None) -> DataSet:
    """Open Parquet, or a foreign file of the named format.

    A command that takes several files has one `--format`, so Parquet is known by its name and taken as it is.
    """
    if format is None or path.suffix == ".parquet" or (path.is_dir() and any(path.glob("*.parquet"))):
        return DataSet.at(path)
    return DataSet.of(path.resolve().name, read_data(path, format=format), path)
