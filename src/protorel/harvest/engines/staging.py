"""Tables that are larger than memory: rows are written as they come, then sorted and made distinct on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

from protorel.harvest.libraries import library
from protorel.harvest.types import Property
from protorel.statements import WorkFailed

_ROWS_AT_A_TIME = 50_000
_CHARACTERS_AT_A_TIME = 10_000_000
_ROWS_PER_GROUP = 100_000


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table of strings: its name and its columns, in sort order."""

    name: str
    columns: tuple[str, ...]

    @property
    def schema(self) -> pa.Schema:
        """The table's columns, none nullable."""
        return pa.schema([pa.field(column, pa.string(), nullable=False) for column in self.columns])


class Staging:
    """Unsorted tables: a batch of rows of each in memory, the rest on disk."""

    def __init__(self, folder: Path, tables: tuple[TableSpec, ...]) -> None:
        folder.mkdir(parents=True)
        self.paths = {table.name: folder / f"{table.name}.parquet" for table in tables}
        self.counts: Counter[str] = Counter()
        self._characters: Counter[str] = Counter()
        self.relations: set[str] = set()
        self.properties: dict[str, Property] = {}
        self._specs = {table.name: table for table in tables}
        self._rows: dict[str, list[tuple[str, ...]]] = {table.name: [] for table in tables}
        self._writers = {
            table.name: pq.ParquetWriter(self.paths[table.name], table.schema, compression="zstd") for table in tables
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for name, writer in self._writers.items():
            if error is None:
                self._flush(name)
            writer.close()

    def add(self, table: str, row: tuple[str, ...]) -> None:
        """Add one row to a table."""
        rows = self._rows[table]
        rows.append(row)
        self.counts[table] += 1
        self._characters[table] += sum(map(len, row))
        if len(rows) >= _ROWS_AT_A_TIME or self._characters[table] >= _CHARACTERS_AT_A_TIME:
            self._flush(table)

    def add_property(self, words: Property) -> None:
        """Add a relation's words; the first source that has a label or description wins."""
        known = self.properties.get(words.id, Property(words.id))
        aliases = tuple(dict.fromkeys((*known.aliases, *words.aliases)))
        label, description = known.label or words.label, known.description or words.description
        self.properties[words.id] = Property(words.id, label, description, aliases)

    def _flush(self, table: str) -> None:
        rows = self._rows[table]
        if rows:
            columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
            self._writers[table].write_table(pa.table(columns, schema=self._specs[table].schema))
            rows.clear()
            self._characters[table] = 0


def sort_distinct(staged: Path, folder: Path, table: TableSpec, *, memory: str) -> int:
    """Write a staged table sorted and distinct to `folder`, within `memory`; return the number of rows."""
    duckdb = library("duckdb")
    columns = ", ".join(table.columns)
    settings = {"memory_limit": memory, "temp_directory": str(folder / "spilled")}
    rows = 0
    try:
        with (
            duckdb.connect(config=settings) as connection,
            pq.ParquetWriter(folder / f"{table.name}.parquet", table.schema, compression="zstd") as writer,
        ):
            query = f"SELECT DISTINCT {columns} FROM read_parquet(?) ORDER BY {columns}"
            reader = connection.sql(query, params=[str(staged)]).to_arrow_reader(_ROWS_PER_GROUP)
            for group in _groups(reader, table):
                writer.write_table(group)
                rows += group.num_rows
    except duckdb.Error as problem:
        first_line = str(problem).partition("\n")[0]
        raise WorkFailed(f"{table.name}: cannot be sorted with {memory} of memory ({first_line})") from problem
    return rows


def _groups(reader: pa.RecordBatchReader, table: TableSpec) -> Iterator[pa.Table]:
    """Yield row groups of one size, whatever the engine's batches: equal rows give equal bytes."""
    waiting = table.schema.empty_table()
    for batch in reader:
        arrived = pa.Table.from_batches([batch]).cast(table.schema)
        waiting = pa.concat_tables([waiting, arrived])
        while waiting.num_rows >= _ROWS_PER_GROUP:
            yield waiting.slice(0, _ROWS_PER_GROUP).combine_chunks()
            waiting = waiting.slice(_ROWS_PER_GROUP)
    if waiting.num_rows:
        yield waiting.combine_chunks()
