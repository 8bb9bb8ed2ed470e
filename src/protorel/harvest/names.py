"""What entities are called: alias lists in the forms in which they circulate.

    Q16<TAB>CA<TAB>Canada<TAB>Dominion of Canada          an entity and all its names
    E17<TAB>Ada Kroll<TAB>person                          one name, and what the entity is
    {"id": "Q16", "label": "Canada", "aliases": ["CA"], "title": "Canada", "kinds": ["Q6256"]}      a line of JSON each
    {"Q16": {"label": "Canada", "wiki": "https://en.wikipedia.org/wiki/Canada"}, …}                 one JSON object

A third column is read as the kind where a header calls it so, or where every row looked at has three cells and the
last ones repeat: at most one new word in four rows. Ids of the form P19 are properties.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path

from protorel.corpora import Reject, found, json_of, parse_json, whole_object
from protorel.harvest.delimited import (
    PARQUET_MAGIC,
    Cells,
    delimited_rows,
    found_columns,
    parquet_columns,
    parquet_rows,
)
from protorel.harvest.dump_stream import first_bytes, text_lines, why_empty
from protorel.harvest.named_json import has_id, named_of
from protorel.harvest.tally import Tally
from protorel.harvest.types import Entity, Property
from protorel.statements import BadInput, StatementError

_ROLES: Mapping[str, Sequence[str]] = {
    "entity": ("entity", "entity_id", "id", "qid", "wikidata_id"),
    "name": ("name", "alias", "label", "surface"),
    "kind": ("kind", "type", "entity_type", "kinds", "types"),
}
_LOOKED_AT = 2_000
_LONGEST_LINE = 1_000_000


def read_names(path: Path, tally: Tally) -> Iterator[Entity | Property]:
    """Yield the entities and properties that a file names; one entity may come several times."""
    start = first_bytes(path).lstrip()
    if not start:
        raise BadInput(f"{path}: {why_empty(path)}, names are wanted")
    if start.startswith(PARQUET_MAGIC):
        yield from _from_parquet(path, tally)
    elif start.startswith(b"{"):
        yield from _from_json_lines(path, tally) if _is_entry(start) else _from_json_object(path, tally)
    else:
        yield from _from_delimited(path, tally)


def _is_entry(start: bytes) -> bool:
    """Tell whether the first line is an object with an id of its own, and not one with entries by their ids."""
    try:
        return has_id(parse_json(start.partition(b"\n")[0].decode("utf-8")))
    except ValueError:
        return False


def _from_json_lines(path: Path, tally: Tally) -> Iterator[Entity | Property]:
    for line in text_lines(path, tally, longest=_LONGEST_LINE):
        try:
            given = json_of(line)
            if not isinstance(given, dict):
                raise StatementError("line", f"is {found(given)}, an object with id and label is wanted")
            named = named_of(None, given)
        except StatementError as problem:
            tally.reject(Reject(path.name, line.number, problem.field, problem.reason, line.text), reason="no name")
        else:
            tally.take()
            yield named


def _from_json_object(path: Path, tally: Tally) -> Iterator[Entity | Property]:
    for id, given in whole_object(path, "an object with an entry for each entity").items():
        try:
            named = named_of(id, given)
        except StatementError as problem:
            reject = Reject(path.name, None, f"{id}.{problem.field}", problem.reason, str(given)[:600])
            tally.reject(reject, reason="no name")
        else:
            tally.take()
            yield named


def _from_delimited(path: Path, tally: Tally) -> Iterator[Entity | Property]:
    rows = delimited_rows(path, tally)
    ahead = list(islice(rows, _LOOKED_AT))
    places = found_columns(ahead[0].values, _ROLES) if ahead else {}
    if {"entity", "name"} <= places.keys():
        order = [places[role] for role in ("entity", "name", "kind") if role in places]
        for row in chain(ahead[1:], rows):
            cells = tuple(row.values[place] for place in order if place < len(row.values))
            yield from _named_row(path, tally, Cells(row.line, cells), has_kind="kind" in places)
    else:
        has_kind = _third_is_kind(ahead)
        for row in chain(ahead, rows):
            yield from _named_row(path, tally, row, has_kind=has_kind)


def _third_is_kind(rows: Sequence[Cells]) -> bool:
    thirds = {row.values[2] for row in rows if len(row.values) == 3}
    return all(len(row.values) == 3 for row in rows) and 0 < 4 * len(thirds) <= len(rows)


def _from_parquet(path: Path, tally: Tally) -> Iterator[Entity | Property]:
    columns = parquet_columns(path)
    places = found_columns(columns, _ROLES)
    if not {"entity", "name"} <= places.keys():
        raise BadInput(f"{path}: has the columns {', '.join(columns)}; entity and name are wanted")
    chosen = [columns[places[role]] for role in ("entity", "name", "kind") if role in places]
    for number, row in enumerate(parquet_rows(path, chosen), start=1):
        cells = tuple("" if row[name] is None else str(row[name]).strip() for name in chosen)
        yield from _named_row(path, tally, Cells(number, cells), has_kind="kind" in places)


def _named_row(path: Path, tally: Tally, row: Cells, *, has_kind: bool) -> Iterator[Entity | Property]:
    id, *rest = row.values
    names = [name for name in (rest[:1] if has_kind else rest) if name]
    if not id or not names:
        reason = f"has {len(row.values)} cells, an entity and a name are wanted"
        tally.reject(Reject(path.name, row.line, "line", reason, row.text), reason="no name")
        return
    tally.take()
    kinds = [kind for kind in rest[1:2] if kind and has_kind]
    yield named_of(id, {"aliases": names, "kinds": kinds})
