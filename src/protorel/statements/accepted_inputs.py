"""Statements from any form of data: Statements, dicts, a Parquet file, a DataFrame, a `datasets.Dataset`.

pandas, polars and datasets are recognised by their methods and never imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from protorel.io import BadInput, printable, short_value, shown
from protorel.statements.types import STATEMENT_FIELDS, Span, Statement, StatementError, as_span

if TYPE_CHECKING:
    from protorel.statements.data_set import DataSet

StatementsLike: TypeAlias = "DataSet | Path | str | Iterable[Any]"
"""What `as_statements` accepts; a DataFrame is an iterable too."""

_ACCEPTED = (
    "a list of Statements or dicts, a DataSet, the path of a Parquet file, a pandas or polars DataFrame, "
    "or a datasets.Dataset"
)
_OFFSETS = ("head_start", "head_stop", "tail_start", "tail_stop")
ROW_FIELDS = (*STATEMENT_FIELDS, *_OFFSETS)
"""The fields of a row."""
_TEXTS = ("relation", "id", "head_id", "tail_id", "head_type", "tail_type", "document", "source")
_IDS = ("id", "head_id", "tail_id")


def as_statements(source: StatementsLike, *, where: str = "") -> list[Statement]:
    """Return the statements of a source, whatever its form.

    Args:
        source: Statements, a DataSet, the path of a Parquet file or of a folder of them, dicts, a pandas or polars
            DataFrame, a pyarrow Table, or a `datasets.Dataset`. A dict or a row has `text`, `head` and `tail`, and may
            have the other fields of a Statement. `head` and `tail` are a name that occurs once in the text,
            (start, stop), a Span, or a dict with `start` and `stop`; the fields `head_start`, `head_stop`,
            `tail_start` and `tail_stop` do as well. A relation that is None or NaN means no label.
        where: The name of the source, for messages.

    Returns:
        The statements, in the order of the source.

    Raises:
        BadInput: the source is none of these, or a row is not a statement. Rows are counted from 0.

    >>> row = {"text": "Ada Kroll was born in Lunsk.", "head": "Ada Kroll", "tail": (22, 27), "relation": "born_in"}
    >>> [statement] = as_statements([row])
    >>> statement.head, statement.tail_text
    (Span(start=0, stop=9), 'Lunsk')
    """
    return list(iter_accepted(source, where=where))


def as_data_set(source: StatementsLike, *, name: str = "") -> DataSet:
    """Return a source as a `DataSet`; a Parquet file is not read yet.

    Args:
        source: As for `as_statements`.
        name: The name of the data in results and records. By default that of the file or the DataSet, else "data".

    Returns:
        A data set that can be read any number of times.

    Raises:
        BadInput: as for `as_statements`.

    >>> row = {"text": "Ada Kroll was born in Lunsk.", "head": "Ada Kroll", "tail": "Lunsk", "relation": "born_in"}
    >>> data = as_data_set([row], name="towns")
    >>> data.name, data.described()["relations"]
    ('towns', 1)
    """
    from protorel.statements.data_set import DataSet  # that file imports this one

    if isinstance(source, DataSet):
        return replace(source, name=name) if name else source
    if isinstance(source, str | Path):
        found = DataSet.at(source)
        return replace(found, name=name) if name else found
    return DataSet.of(name or "data", source)


def iter_accepted(source: StatementsLike, *, where: str = "") -> Iterator[Statement]:
    """Yield the statements of a source one by one; see `as_statements`."""
    prefix = f"{where}: " if where else ""
    for number, row in enumerate(_rows(source, prefix)):
        if isinstance(row, Statement):
            yield row
        elif isinstance(row, Mapping):
            try:
                yield statement_from_row(row)
            except StatementError as problem:
                field = f", {problem.field}" if problem.field else ""
                raise BadInput(f"{prefix}row {number}{field}: {problem.reason}") from problem
        else:
            raise BadInput(f"{prefix}row {number}: expected a Statement or a dict, got {short_value(row)}")


def _rows(source: Any, prefix: str) -> Any:
    """Return the Statements and dicts of a source."""
    from protorel.statements.data_set import DataSet  # that file imports this one

    if isinstance(source, DataSet):
        return source.source()
    if isinstance(source, str | Path):
        return DataSet.at(source).source()
    if isinstance(source, Statement) or (isinstance(source, Mapping) and "text" in source):
        found = "one Statement" if isinstance(source, Statement) else "one dict"
        raise BadInput(f"{prefix}expected {_ACCEPTED}, got {found}. Put it in a list.")
    if isinstance(source, Mapping):  # splits by name
        found = ", ".join(printable(str(key)) for key in islice(source, 4))
        raise BadInput(f"{prefix}expected {_ACCEPTED}, got a dict with {found or 'no key'}. Pass one of its values.")
    if hasattr(source, "to_dicts"):  # polars
        return source.to_dicts()
    if hasattr(source, "to_dict") and hasattr(source, "columns"):  # pandas
        return source.to_dict(orient="records")
    if hasattr(source, "to_pylist"):  # pyarrow
        return source.to_pylist()
    if isinstance(source, Iterable) and not isinstance(source, bytes | bytearray):
        return source
    raise BadInput(f"{prefix}expected {_ACCEPTED}, got {short_value(source)}")


def statement_from_row(
    row: Mapping[str, Any], *, place_hint: str = "Give its place as (start, stop).", **defaults: str
) -> Statement:
    """Return the statement of one row; see `as_statements` for its fields.

    Args:
        row: Values by field.
        place_hint: How to resolve an ambiguous name, for messages; `{field}` is replaced by head or tail.
        defaults: Texts for fields that the row omits or leaves empty.

    Raises:
        StatementError: the row is not a statement.
    """
    check_fields(row)
    given = {name: value for name, value in row.items() if not _is_missing(value)}
    text = given.get("text")
    if not isinstance(text, str):
        raise StatementError("text", f"expected text, got {shown(text)}" if "text" in given else "is missing")
    head, tail = (_span(given, text, field, place_hint.format(field=field)) for field in ("head", "tail"))
    texts = {name: _text(given[name], name) for name in _TEXTS if name in given}
    texts |= {name: default for name, default in defaults.items() if not texts.get(name)}
    expresses = given.get("expresses")
    if not isinstance(expresses, bool | None):
        raise StatementError("expresses", f"expected True, False or None, got {shown(expresses)}")
    return Statement(text, head, tail, expresses=expresses, **texts)


def check_fields(names: Iterable[object]) -> None:
    """Raise `StatementError` for a name that is not a field of a row: a typo would lose data silently."""
    for name in names:
        if name not in ROW_FIELDS:
            near = get_close_matches(str(name)[:100], ROW_FIELDS, n=1)
            expected = "a field of a statement" if near else f"one of {', '.join(ROW_FIELDS)}"
            hint = f"Did you mean {near[0]!r}?" if near else "Rename it or leave it out."
            raise StatementError(printable(str(name)), f"expected {expected}, got {shown(name)}. {hint}")


def _span(given: Mapping[str, Any], text: str, field: str, hint: str) -> Span:
    """Return the span of the head or the tail, from its offsets or its name."""
    value = given.get(field)
    offsets = [given.get(f"{field}_{end}") for end in ("start", "stop")]
    if offsets != [None, None]:
        span = as_span(offsets, field)
        agrees = value is None or (span.of(text) == value if isinstance(value, str) else as_span(value, field) == span)
        if not agrees:
            place = f"[{span.start}, {span.stop})"
            raise StatementError(field, f"expected {shown(value)} at {place}, got {shown(span.of(text))}")
        return span
    if value is None:
        raise StatementError(field, "is missing")
    return place_of_name(value, text, field, hint=hint) if isinstance(value, str) else as_span(value, field)


def place_of_name(name: str, text: str, field: str, *, hint: str) -> Span:
    """Return the span of a name that occurs exactly once in a text, or raise `StatementError`."""
    expected = f"expected a name that occurs once in the text, got {shown(name)}"
    start = text.find(name) if name.strip() else -1
    if start < 0:
        raise StatementError(field, f"{expected}, which does not occur" if name.strip() else expected)
    if text.find(name, start + 1) >= 0:
        times = max(2, text.count(name))  # `count` finds `ana` in `banana` once
        raise StatementError(field, f"{expected}, which occurs {times} times. {hint}")
    return Span(start, start + len(name))


def _text(value: object, field: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and field in _IDS and value.bit_length() < 64:
        return str(value)
    if not isinstance(value, str):
        raise StatementError(field, f"expected text, got {shown(value)}")
    return str(value)  # numpy has a text type of its own


def _is_missing(value: object) -> bool:
    """Tell whether a value is None, NaN, or the missing value of pandas."""
    return (
        value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )
