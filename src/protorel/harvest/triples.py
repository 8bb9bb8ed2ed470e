"""Facts as triples in TSV, CSV or Parquet: subject, relation, object.

    Q73437<TAB>P1412<TAB>Q1860

A first line that names the three columns is a header: its names say which cell is which, and further columns may stand
there. Without one a row has exactly three cells in that order. Ids are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from protorel.corpora import Reject
from protorel.harvest.delimited import (
    PARQUET_MAGIC,
    Cells,
    delimited_rows,
    found_columns,
    parquet_columns,
    parquet_rows,
)
from protorel.harvest.dump_stream import first_bytes
from protorel.harvest.tally import Tally
from protorel.harvest.types import Fact
from protorel.statements import BadInput

ROLES: Mapping[str, Sequence[str]] = {
    "subject": ("subject", "subject_id", "head", "head_id", "source", "from", "s", "h"),
    "relation": ("relation", "relation_id", "predicate", "property", "rel", "p", "r"),
    "object": ("object", "object_id", "tail", "tail_id", "target", "to", "o", "t"),
}
"""The names by which a header may call the three columns, best known first."""


def read_triples(path: Path, tally: Tally, *, columns: Sequence[str] | None = None) -> Iterator[Fact]:
    """Yield the facts of a file; `columns` names the three columns where the header calls them otherwise."""
    known = ROLES if columns is None else _roles_named(columns)
    is_parquet = first_bytes(path, 4) == PARQUET_MAGIC
    rows = _parquet_cells(path, known) if is_parquet else _delimited_cells(path, tally, known, columns)
    for row in rows:
        empty = [role for role, cell in zip(ROLES, row.values, strict=False) if not cell]
        if len(row.values) != len(ROLES):
            reason = f"has {len(row.values)} cells, subject, relation and object are wanted"
            tally.reject(Reject(path.name, row.line, "line", reason, row.text), reason="not three cells")
        elif empty:
            tally.reject(Reject(path.name, row.line, empty[0], "is empty", row.text), reason="empty cell")
        else:
            tally.take()
            yield Fact(*row.values)


def _delimited_cells(
    path: Path, tally: Tally, known: Mapping[str, Sequence[str]], columns: Sequence[str] | None
) -> Iterator[Cells]:
    rows = delimited_rows(path, tally)
    first = next(rows, None)
    if first is None:
        return
    places = found_columns(first.values, known)
    if len(places) < len(ROLES):
        if columns is not None:
            raise BadInput(f"{path}: its first line is {_shown(first)}; the columns {', '.join(columns)} are wanted")
        yield from chain([first], rows)
        return
    order = [places[role] for role in ROLES]
    for row in rows:
        if max(order) < len(row.values):
            yield Cells(row.line, tuple(row.values[place] for place in order))
        else:
            # Too few cells to pick from: given on as it is, to be refused.
            yield Cells(row.line, row.values[: min(len(row.values), len(ROLES) - 1)])


def _parquet_cells(path: Path, known: Mapping[str, Sequence[str]]) -> Iterator[Cells]:
    names = parquet_columns(path)
    places = found_columns(names, known)
    if len(places) < len(ROLES):
        raise BadInput(f"{path}: has the columns {', '.join(names)}; subject, relation and object are wanted")
    chosen = [names[places[role]] for role in ROLES]
    for number, row in enumerate(parquet_rows(path, chosen), start=1):
        values = (row[name] for name in chosen)
        yield Cells(number, tuple("" if value is None else str(value).strip() for value in values))


def _roles_named(columns: Sequence[str]) -> dict[str, Sequence[str]]:
    if len(columns) != len(ROLES):
        raise BadInput(f"columns: {len(columns)} names were given, those of subject, relation and object are wanted")
    return {role: (name.strip().casefold(),) for role, name in zip(ROLES, columns, strict=True)}


def _shown(row: Cells) -> str:
    return repr(row.text[:80])
