"""Rows of TSV, CSV or Parquet, and finding columns by any of their usual names."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from protorel.corpora import Reject
from protorel.harvest.sources.files import text_lines
from protorel.harvest.types import Tally
from protorel.statements import BadInput

MAX_ROW = 1_000_000
"""The longest line of a table, in bytes, that is read."""
PARQUET_MAGIC = b"PAR1"
_ROWS_AT_A_TIME = 10_000
_BYTES_AT_A_TIME = 2**26
MAX_GROUP_BYTES = 2**30
"""The most bytes that a column of a Parquet file may have in one row group."""


@dataclass(frozen=True, slots=True)
class Cells:
    """One row of a table: its line and its values."""

    line: int
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        """The row as one line, cells separated by tabs."""
        return "\t".join(self.values)


def delimited_rows(path: Path, tally: Tally) -> Iterator[Cells]:
    """Yield the rows of a file with tabs between its cells or, if its first line has no tab, commas.

    Quotation marks quote only in comma-separated files. Cells are stripped.
    """
    tabs: bool | None = None
    for line in text_lines(path, tally, longest=MAX_ROW):
        if line.problem:
            tally.reject(Reject(path.name, line.number, "line", line.problem, line.text), reason="unreadable line")
            continue
        if tabs is None:
            tabs = "\t" in line.text
        try:
            cells = line.text.split("\t") if tabs else next(csv.reader([line.text], strict=True))
        except csv.Error as problem:
            tally.reject(
                Reject(path.name, line.number, "line", f"is not valid CSV ({problem})", line.text), reason="no CSV"
            )
            continue
        yield Cells(line.number, tuple(cell.strip() for cell in cells))


def parquet_rows(
    path: Path, columns: Sequence[str] | None = None, *, rows_at_a_time: int = _ROWS_AT_A_TIME
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file with all columns or those named, keeping few rows in memory.

    A string that many rows share is held once: a small file may repeat a long one a million times. A column of a row
    group with more than `MAX_GROUP_BYTES` bytes is refused.
    """
    try:
        schema = pq.read_schema(path)
        texts = [
            field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        with pq.ParquetFile(path, memory_map=True, read_dictionary=texts) as file:
            _check_groups(path, file.metadata)
            for batch in file.iter_batches(batch_size=rows_at_a_time, columns=columns):
                yield from _rows_of(batch)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        first_line = str(problem).partition("\n")[0]
        raise BadInput(f"{path}: cannot be read as Parquet ({first_line}); is it cut short?") from problem


def _rows_of(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch: made all at once, or one by one if all of them would take much memory."""
    texts = [column.dictionary for column in batch.columns if pa.types.is_dictionary(column.type)]
    longest = sum(pc.max(pc.binary_length(text)).as_py() or 0 for text in texts)
    if longest * len(batch) <= _BYTES_AT_A_TIME:
        yield from batch.to_pylist()
        return
    for place in range(len(batch)):
        yield {name: column[place].as_py() for name, column in zip(batch.schema.names, batch.columns, strict=True)}


def _check_groups(path: Path, metadata: pq.FileMetaData) -> None:
    """Refuse a file if one column of one row group may not fit into memory."""
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(column)
            if chunk.total_uncompressed_size > MAX_GROUP_BYTES:
                raise BadInput(
                    f"{path}: row group {group}, {chunk.path_in_schema}: expected at most {MAX_GROUP_BYTES:,} bytes, "
                    f"got {chunk.total_uncompressed_size:,}. Write the file with smaller row groups"
                )


def parquet_columns(path: Path) -> list[str]:
    """Return the names of a Parquet file's columns."""
    try:
        return list(pq.read_schema(path).names)
    except (pa.ArrowException, OSError) as problem:
        first_line = str(problem).partition("\n")[0]
        raise BadInput(f"{path}: cannot be read as Parquet ({first_line}); is it cut short?") from problem


def found_columns(names: Sequence[str], known: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the place of each role whose name, or a synonym of it, is among the columns; case does not matter."""
    places = {name.strip().casefold(): place for place, name in reversed(list(enumerate(names)))}
    return {
        role: next(places[synonym] for synonym in synonyms if synonym in places)
        for role, synonyms in known.items()
        if any(synonym in places for synonym in synonyms)
    }
