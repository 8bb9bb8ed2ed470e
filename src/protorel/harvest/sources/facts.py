"""Facts of a knowledge base: a Wikidata JSON dump, or triples in TSV, CSV or Parquet, recognised by their content.

    Q73437<TAB>P1412<TAB>Q1860

A first line that names the three columns is a header: it says which cell is which, and other columns are ignored.
Without a header, a row has exactly three cells: subject, relation, object. Ids are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from protorel.corpora import Reject
from protorel.harvest.sources.files import files_in, first_bytes, why_empty
from protorel.harvest.sources.tables import (
    PARQUET_MAGIC,
    Cells,
    delimited_rows,
    found_columns,
    parquet_columns,
    parquet_rows,
)
from protorel.harvest.sources.wikidata import Record, read_wikidata
from protorel.harvest.sources.xml_pages import is_xml
from protorel.harvest.types import Fact, Tally
from protorel.statements import BadInput

ROLES: Mapping[str, Sequence[str]] = {
    "subject": ("subject", "subject_id", "head", "head_id", "source", "from", "s", "h"),
    "relation": ("relation", "relation_id", "predicate", "property", "rel", "p", "r"),
    "object": ("object", "object_id", "tail", "tail_id", "target", "to", "o", "t"),
}
"""The names of the three columns that a header may use, most common first."""


def open_facts(path: Path, tally: Tally | None = None, *, language: str = "en") -> Iterator[Record]:
    """Yield the facts of a file, or of every file in a folder, in order.

    Raises:
        BadInput: a file is neither a Wikidata dump nor a table of triples, or has no fact.
    """
    tally = tally or Tally()
    for file in files_in(path):
        yield from _facts_of(file, tally, language)


def read_triples(path: Path, tally: Tally) -> Iterator[Fact]:
    """Yield the facts of a table."""
    is_parquet = first_bytes(path, 4) == PARQUET_MAGIC
    for row in _parquet_cells(path) if is_parquet else _delimited_cells(path, tally):
        empty = [role for role, cell in zip(ROLES, row.values, strict=False) if not cell]
        if len(row.values) != len(ROLES):
            reason = f"expected subject, relation and object, got {len(row.values)} cells"
            tally.reject(Reject(path.name, row.line, "line", reason, row.text), reason="not three cells")
        elif empty:
            tally.reject(Reject(path.name, row.line, empty[0], "is empty", row.text), reason="empty cell")
        else:
            tally.take()
            yield Fact(*row.values)


def _facts_of(path: Path, tally: Tally, language: str) -> Iterator[Record]:
    start = first_bytes(path).lstrip()
    if not start:
        raise BadInput(f"{path}: expected facts, but the file {why_empty(path)}")
    before = tally.taken
    if start.startswith(PARQUET_MAGIC):
        yield from read_triples(path, tally)
    elif start.startswith((b"{", b"[")):
        yield from read_wikidata(path, tally, language=language)
    elif is_xml(start):
        raise BadInput(f"{path}: expected a Wikidata JSON dump or triples in TSV, CSV or Parquet, got XML")
    else:
        _check_table(path, start)
        yield from read_triples(path, tally)
    if tally.taken == before:
        raise BadInput(f"{path}: no fact could be read{tally.first_example()}")


def _check_table(path: Path, start: bytes) -> None:
    first = start.partition(b"\n")[0]
    if b"\0" in first or not (b"\t" in first or b"," in first):
        shown = first[:40].decode("utf-8", "replace")
        raise BadInput(f"{path}: expected a Wikidata JSON dump or triples with tabs or commas, got {shown!r}")


def _delimited_cells(path: Path, tally: Tally) -> Iterator[Cells]:
    rows = delimited_rows(path, tally)
    first = next(rows, None)
    if first is None:
        return
    places = found_columns(first.values, ROLES)
    if len(places) < len(ROLES):
        yield from chain([first], rows)
        return
    order = [places[role] for role in ROLES]
    for row in rows:
        if max(order) < len(row.values):
            yield Cells(row.line, tuple(row.values[place] for place in order))
        else:
            # Too few cells to choose from: passed on to be rejected.
            yield Cells(row.line, row.values[: min(len(row.values), len(ROLES) - 1)])


def _parquet_cells(path: Path) -> Iterator[Cells]:
    names = parquet_columns(path)
    places = found_columns(names, ROLES)
    if len(places) < len(ROLES):
        raise BadInput(f"{path}: expected the columns subject, relation and object, got {', '.join(names)}")
    chosen = [names[places[role]] for role in ROLES]
    for number, row in enumerate(parquet_rows(path, chosen), start=1):
        values = (row[name] for name in chosen)
        yield Cells(number, tuple("" if value is None else str(value).strip() for value in values))
