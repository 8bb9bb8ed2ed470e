"""Statements on disk: Parquet with one row per statement. This file defines the schema."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from protorel.io import BadInput, as_path, check_count, check_source, kind, parse_json, short_value, written_whole
from protorel.statements.accepted_inputs import StatementsLike, iter_accepted
from protorel.statements.data_set import parts_of
from protorel.statements.types import Span, Statement, StatementError

FORMAT_VERSION = 1
_VERSION_KEY = b"protorel.statements.version"
_ORIGIN_KEY = b"protorel.statements.origin"

SCHEMA = pa.schema(
    [
        pa.field("text", pa.string(), nullable=False),
        pa.field("head_start", pa.int32(), nullable=False),
        pa.field("head_stop", pa.int32(), nullable=False),
        pa.field("tail_start", pa.int32(), nullable=False),
        pa.field("tail_stop", pa.int32(), nullable=False),
        pa.field("relation", pa.string()),
        pa.field("id", pa.string(), nullable=False),
        pa.field("head_id", pa.string()),
        pa.field("tail_id", pa.string()),
        pa.field("head_type", pa.string()),
        pa.field("tail_type", pa.string()),
        pa.field("document", pa.string()),
        pa.field("source", pa.string(), nullable=False),
        pa.field("expresses", pa.bool_()),
    ],
    metadata={_VERSION_KEY: str(FORMAT_VERSION).encode()},
)
_PLAIN = [name for name in SCHEMA.names if not name.startswith(("head_st", "tail_st"))]
_REQUIRED = [field.name for field in SCHEMA if not field.nullable]


def write_statements(
    statements: StatementsLike,
    path: Path | str,
    *,
    rows_per_group: int = 10_000,
    origin: Callable[[], Mapping[str, Any]] | None = None,
) -> int:
    """Write statements to one Parquet file atomically.

    Args:
        statements: In any form that `as_statements` accepts; an iterator is consumed as the file is written.
        path: The file.
        rows_per_group: The number of rows that are held in memory and written as one row group.
        origin: Called after the last statement; its result is stored as JSON in the file's metadata, where
            `read_origin` finds it.

    Returns:
        The number of statements written.

    Raises:
        BadInput: a row is not a statement, or the path cannot be written to.
        WorkFailed: the disk is full or broken.

    >>> row = {"text": "Ada Kroll was born in Lunsk.", "head": "Ada Kroll", "tail": "Lunsk", "relation": "born_in"}
    >>> write_statements([row], "towns.parquet")
    1
    """
    place, count = as_path(path), 0
    check_count(rows_per_group, where="rows_per_group")
    remaining = iter_accepted(statements)
    with (
        written_whole(place) as unfinished,
        pq.ParquetWriter(unfinished, SCHEMA, compression="zstd") as writer,
    ):
        while rows := list(islice(remaining, rows_per_group)):
            writer.write_table(statement_table(rows))
            count += len(rows)
        if origin is not None:
            writer.add_key_value_metadata({_ORIGIN_KEY: json.dumps(origin())})
    return count


def read_origin(path: Path | str) -> dict[str, Any] | None:
    """Return the origin stored by `write_statements`; None if there is none."""
    try:
        kept = (pq.read_metadata(path).metadata or {}).get(_ORIGIN_KEY)
        found = None if kept is None else parse_json(kept.decode())
        if found is not None and not isinstance(found, dict):
            raise ValueError(f"expected an object, got {kind(found)}")
        return found
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise BadInput(f"{path}: its metadata cannot be read ({str(problem).partition(chr(10))[0]})") from problem


def iter_statements(path: Path | str, *, rows_at_a_time: int = 4096) -> Iterator[Statement]:
    """Yield the statements of a Parquet file, or of all files in a folder, a few thousand rows at a time."""
    for part in parts_of(as_path(path)):
        yield from _read_part(part, rows_at_a_time)


def read_statements(path: Path | str) -> list[Statement]:
    """Read all statements of a Parquet file, or of a folder of them.

    Args:
        path: A file written by `write_statements` or `protorel convert`, or a folder such as a harvest's `statements`.

    Returns:
        The statements, in the order of the file; those of a folder file by file.

    Raises:
        BadInput: it does not exist, is not Parquet, or a row is not a statement.

    >>> row = {"text": "Ada Kroll was born in Lunsk.", "head": "Ada Kroll", "tail": "Lunsk", "relation": "born_in"}
    >>> _ = write_statements([row], "towns.parquet")
    >>> read_statements("towns.parquet")[0].head_text
    'Ada Kroll'
    """
    return list(iter_statements(path))


def count_statements(path: Path | str) -> int:
    """Return the number of statements in a Parquet file, by its metadata alone.

    Raises:
        BadInput: it does not exist, is not Parquet, or has other columns.
    """
    with _opened(as_path(path)) as file:
        return int(file.metadata.num_rows)


def read_rows(path: Path | str, rows: Iterable[int]) -> dict[int, Statement]:
    """Read some statements of a Parquet file by their row numbers; only the row groups that hold them are read.

    Raises:
        BadInput: the file cannot be read, has fewer rows, or a row is not a statement.
    """
    place, found = as_path(path), {}
    remaining = sorted(set(rows))
    with _opened(place) as file:
        names = [name for name in SCHEMA.names if name in file.schema_arrow.names]
        start = position = 0
        for group in range(file.num_row_groups):
            stop = start + file.metadata.row_group(group).num_rows
            first = position
            while position < len(remaining) and remaining[position] < stop:
                position += 1
            if own := remaining[first:position]:
                table = file.read_row_group(group, columns=names).take([row - start for row in own])
                for row, values in zip(own, table.to_pylist(), strict=True):
                    found[row] = _statement(place, row, values)
            start = stop
    if position < len(remaining):
        raise BadInput(f"{place}: expected more than {remaining[-1]} statements, got {start}")
    return found


def fingerprint(statements: Iterable[Statement]) -> str:
    """Return a hash of the statements in their order; it does not depend on how they are stored."""
    digest = hashlib.sha256()
    for statement in statements:
        digest.update(repr(_row(statement)).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def _row(statement: Statement) -> tuple[Any, ...]:
    spans = (statement.head.start, statement.head.stop, statement.tail.start, statement.tail.stop)
    return (statement.text, *spans, *(getattr(statement, name) for name in _PLAIN[1:]))


def statement_table(statements: Sequence[Statement]) -> pa.Table:
    """Return statements as a table with the columns of `SCHEMA`."""
    columns = zip(*map(_row, statements), strict=True)
    return pa.Table.from_arrays(
        [_column(column, field) for column, field in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
    )


def _column(values: Sequence[Any], field: pa.Field) -> pa.Array:
    try:
        return pa.array(values, type=field.type)
    except UnicodeEncodeError as problem:
        raise BadInput(f"a text has a lone surrogate (U+{ord(problem.object[problem.start]):04X})") from problem
    except (pa.ArrowException, TypeError) as problem:
        expected = (bool, "True, False or None") if pa.types.is_boolean(field.type) else (str, "text")
        wrong = next((one for one in values if one is not None and not isinstance(one, expected[0])), None)
        raise BadInput(f"{field.name}: expected {expected[1]}, got {short_value(wrong)}") from problem


def _read_part(path: Path, rows_at_a_time: int) -> Iterator[Statement]:
    with _opened(path) as file:
        names = [name for name in SCHEMA.names if name in file.schema_arrow.names]
        row = 0
        for batch in file.iter_batches(batch_size=rows_at_a_time, columns=names):
            for values in batch.to_pylist():
                yield _statement(path, row, values)
                row += 1


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a file of statements; what is wrong with it, then or while the block reads, is one line."""
    check_source(path)
    if path.stat().st_size == 0:
        raise BadInput(f"{path}: expected a Parquet file of statements, got an empty file")
    try:
        # Memory-mapped: a data set larger than memory is read a few thousand rows at a time.
        with pq.ParquetFile(path, memory_map=True) as file:
            _check_schema(path, file.schema_arrow)
            yield file
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        first_line = str(problem).partition("\n")[0]
        raise BadInput(
            f"{path}: cannot be read as Parquet ({first_line}); is it cut short, or another format? "
            "`protorel convert` reads other formats"
        ) from problem


def _check_schema(path: Path, schema: pa.Schema) -> None:
    version = (schema.metadata or {}).get(_VERSION_KEY)
    if version is not None and version != str(FORMAT_VERSION).encode():
        raise BadInput(
            f"{path}: expected statements of format version {FORMAT_VERSION}, got {version.decode(errors='replace')}"
        )
    for field in SCHEMA:
        if schema.names.count(field.name) > 1:
            raise BadInput(
                f"{path}: expected each column once, got {field.name!r} {schema.names.count(field.name)} times"
            )
        if field.name in schema.names:
            found = schema.field(field.name).type
            if found != field.type:
                raise BadInput(f"{path}: column {field.name!r}: expected type {field.type}, got {found}")
        elif not field.nullable and field.name not in ("id", "source"):
            raise BadInput(
                f"{path}: expected a column {field.name!r}, got {', '.join(schema.names[:20]) or 'none'}. "
                "`protorel convert` reads other formats."
            )


def _statement(path: Path, row: int, values: dict[str, Any]) -> Statement:
    for name in _REQUIRED:
        if values.get(name, "") is None:
            raise BadInput(f"{path}: row {row}: {name}: expected a value, got null")
    try:
        head = Span(values.pop("head_start"), values.pop("head_stop"))
        tail = Span(values.pop("tail_start"), values.pop("tail_stop"))
        return Statement(head=head, tail=tail, **values)
    except (StatementError, TypeError) as problem:
        raise BadInput(f"{path}: row {row}: {problem}") from problem
