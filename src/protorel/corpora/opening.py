"""Opening a data set by its path, whatever its format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from protorel.corpora.formats import files_of, format_named
from protorel.io import is_folder
from protorel.statements import check_parquet

if TYPE_CHECKING:
    from protorel.statements import DataSet


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
    from protorel.corpora.reading import read_data
    from protorel.statements import DataSet  # pyarrow is loaded when it is needed

    if format is None or _is_parquet(path):
        return DataSet.at(path)
    return DataSet.of(path.resolve().name, read_data(path, format=format), path)


def _is_parquet(path: Path) -> bool:
    return path.suffix == ".parquet" or (is_folder(path) and any(path.glob("*.parquet")))
