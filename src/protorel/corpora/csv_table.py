"""A user's own table: CSV or TSV with a header.

    text,head,tail,relation
    Ada Kroll was born in Lunsk.,Ada Kroll,Lunsk,born_in

The separator is a tab if the header has one, else a comma. Cells are quoted as Excel does it and may hold line breaks.
`head` and `tail` are names that occur once in the text. The columns `head_start`, `head_stop`, `tail_start` and
`tail_stop` give half-open ranges of characters instead, for all rows or for some. Every other field of `Statement` may
be a column. An unknown column is refused; one without a name, such as the index that pandas writes, is ignored. An
empty cell is a missing value. The default `id` is `FILE:LINE`, the default `source` the file's name.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from protorel.corpora.rows import KEEP_OVERLAP, MAX_CONTENT, MAX_LINE, Reject, Row, numbered_lines
from protorel.statements import BadInput, Statement, StatementError, check_fields, statement_from_row

_PLACE_HINT = "Give its place in the columns {field}_start and {field}_stop."
_OFFSET = re.compile(r"[0-9]{1,9}")
_TRUTH = {"true": True, "false": False}


def read_csv(path: Path, *, allow_overlap: bool = False) -> Iterator[Row]:
    """Yield a statement or a reject for each row after the header."""
    lines = _Lines(path)
    columns, separator = _header(path, lines)
    rows = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        lines.begin_row()
        try:
            cells = next(rows, None)
            if cells is None:
                return
            if not cells and not lines.problem:
                continue  # a blank line
            statement = _statement(cells, columns, lines, path.stem)
            if not allow_overlap:
                statement.refuse_overlap(hint=KEEP_OVERLAP)
            yield statement
        except StatementError as problem:
            yield Reject(path.name, lines.first, problem.field, problem.reason, lines.content)
        except csv.Error as problem:
            yield Reject(path.name, lines.first, "line", f"is not valid CSV ({problem})", lines.content)


class _Lines:
    """The lines of a file for `csv.reader`, with the beginning of the current row and its problem, if any."""

    def __init__(self, path: Path) -> None:
        self._lines = enumerate(numbered_lines(path), start=1)
        self.number = 0
        self.begin_row()

    def begin_row(self) -> None:
        self.first, self.content, self.problem = self.number + 1, "", ""
        self._length = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.number, line = next(self._lines)
        text = line.text if line else ""
        self.problem = self.problem or ((line and line.problem) or "")
        if len(self.content) < MAX_CONTENT:
            self.content += f"\n{text}" if self._length else text
        self._length += len(text) + 1
        if self._length > MAX_LINE + 1:  # a quote that is never closed
            raise csv.Error(f"the row has more than {MAX_LINE} characters")
        return text + "\n"


def _header(path: Path, lines: _Lines) -> tuple[list[str], str]:
    """Return the names of the columns and the separator, or raise `BadInput`."""
    first = next((text for text in lines if text.strip()), "")
    where = f"{path}, line {lines.number}"
    if lines.problem:
        raise BadInput(f"{where}: {lines.problem}")
    separator = "\t" if "\t" in first else ","
    try:
        columns = [name.strip() for name in next(csv.reader([first], delimiter=separator, strict=True), [])]
    except csv.Error as problem:
        raise BadInput(f"{where}: is not valid CSV ({problem})") from problem
    try:
        check_fields(name for name in columns if name)
    except StatementError as problem:
        raise BadInput(f"{where}: {problem}") from problem
    if twice := [name for name in columns if name and columns.count(name) > 1]:
        raise BadInput(f"{where}: expected each column once, got {twice[0]!r} {columns.count(twice[0])} times")
    for name in ("text", "head", "tail"):
        places = {f"{name}_start", f"{name}_stop"}
        if name not in columns and (name == "text" or not places <= set(columns)):
            other = "" if name == "text" else f" (or {name}_start and {name}_stop)"
            raise BadInput(
                f"{where}: expected a column {name!r}{other}, got {', '.join(filter(None, columns)) or 'none'}"
            )
    return columns, separator


def _statement(cells: Sequence[str], columns: Sequence[str], lines: _Lines, stem: str) -> Statement:
    if lines.problem:
        raise StatementError("line", lines.problem)
    if len(cells) != len(columns):
        raise StatementError("line", f"expected {len(columns)} cells, got {len(cells)}")
    row = {name: _value(cell, name) for name, cell in zip(columns, cells, strict=True) if name and cell}
    return statement_from_row(row, place_hint=_PLACE_HINT, id=f"{stem}:{lines.first}", source=stem)


def _value(cell: str, name: str) -> str | int | bool:
    if name.endswith(("_start", "_stop")):
        if not _OFFSET.fullmatch(cell.strip()):
            raise StatementError(name, f"expected a whole number, got {cell[:40]!r}")
        return int(cell)
    if name == "expresses":
        if cell.strip().lower() not in _TRUTH:
            raise StatementError(name, f"expected true or false, got {cell[:40]!r}")
        return _TRUTH[cell.strip().lower()]
    return cell
