"""Names of entities: alias lists in the formats in common use.

    Q16<TAB>CA<TAB>Canada<TAB>Dominion of Canada          an entity and all its names
    E17<TAB>Ada Kroll<TAB>person                          one name, and the kind of the entity
    {"id": "Q16", "label": "Canada", "aliases": ["CA"], "title": "Canada", "kinds": ["Q6256"]}      JSON lines
    {"Q16": {"label": "Canada", "wiki": "https://en.wikipedia.org/wiki/Canada"}, …}                 one JSON object

A third column is the kind if a header says so, or if each of the first rows has three cells and the third ones repeat:
at most one new word in four rows. Ids such as P19 are properties.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from protorel.corpora import Reject, a_text, found, json_of, parse_json, whole_object
from protorel.harvest.sources.files import first_bytes, text_lines, why_empty
from protorel.harvest.sources.tables import (
    PARQUET_MAGIC,
    Cells,
    delimited_rows,
    found_columns,
    parquet_columns,
    parquet_rows,
)
from protorel.harvest.types import Entity, Property, Tally
from protorel.statements import BadInput, StatementError

_ROLES: Mapping[str, Sequence[str]] = {
    "entity": ("entity", "entity_id", "id", "qid", "wikidata_id"),
    "name": ("name", "alias", "label", "surface"),
    "kind": ("kind", "type", "entity_type", "kinds", "types"),
}
_LOOKED_AT = 2_000
_LONGEST_LINE = 1_000_000


def read_names(path: Path, tally: Tally) -> Iterator[Entity | Property]:
    """Yield the entities and properties that a file names; an entity may come several times."""
    start = first_bytes(path).lstrip()
    if not start:
        raise BadInput(f"{path}: expected names, but the file {why_empty(path)}")
    if start.startswith(PARQUET_MAGIC):
        yield from _from_parquet(path, tally)
    elif start.startswith(b"{"):
        yield from _from_json_lines(path, tally) if _is_entry(start) else _from_json_object(path, tally)
    else:
        yield from _from_delimited(path, tally)


def _is_entry(start: bytes) -> bool:
    """Return whether the first line is an object with an id of its own, rather than one with entries by id."""
    try:
        return has_id(parse_json(start.partition(b"\n")[0].decode("utf-8")))
    except ValueError:
        return False


def _from_json_lines(path: Path, tally: Tally) -> Iterator[Entity | Property]:
    for line in text_lines(path, tally, longest=_LONGEST_LINE):
        try:
            given = json_of(line)
            if not isinstance(given, dict):
                raise StatementError("line", f"expected an object with id and label, got {found(given)}")
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
        raise BadInput(f"{path}: expected the columns entity and name, got {', '.join(columns)}")
    chosen = [columns[places[role]] for role in ("entity", "name", "kind") if role in places]
    for number, row in enumerate(parquet_rows(path, chosen), start=1):
        cells = tuple("" if row[name] is None else str(row[name]).strip() for name in chosen)
        yield from _named_row(path, tally, Cells(number, cells), has_kind="kind" in places)


def _named_row(path: Path, tally: Tally, row: Cells, *, has_kind: bool) -> Iterator[Entity | Property]:
    id, *rest = row.values
    names = [name for name in (rest[:1] if has_kind else rest) if name]
    if not id or not names:
        reason = f"expected an entity and a name, got {len(row.values)} cells"
        tally.reject(Reject(path.name, row.line, "line", reason, row.text), reason="no name")
        return
    tally.take()
    kinds = [kind for kind in rest[1:2] if kind and has_kind]
    yield named_of(id, {"aliases": names, "kinds": kinds})


_ID = ("wikidata_id", "id", "entity", "qid")
_LABEL = ("label", "name")
_ALIASES = ("aliases", "alternatives", "alias", "names")
_TITLE = ("title", "wikipedia", "wiki")
_KINDS = ("kinds", "types", "kind", "type")


def named_of(key: str | None, given: Any) -> Entity | Property:
    """Return the entity or property of an entry of a JSON file; its own id takes precedence over its key.

    A string is the label. A list is the names or, if all of them are ids such as Q5, the kinds.
    """
    if isinstance(given, str):
        given = {"label": given}
    elif isinstance(given, list):
        given = {"kinds" if given and all(is_id(one, "Q") for one in given) else "aliases": given}
    if not isinstance(given, dict):
        raise StatementError("entry", f"expected an object, a list or a string, got {found(given)}")
    id = _text(given, _ID) or key
    if not id or not id.strip():
        raise StatementError("id", "is missing")
    label, aliases = _text(given, _LABEL), _texts(given, _ALIASES)
    if is_id(id, "P"):
        return Property(id, label, _text(given, ("description",)), aliases)
    return Entity(id, label, aliases, _page_title(_text(given, _TITLE)), _texts(given, _KINDS))


def has_id(given: Any) -> bool:
    """Return whether an object holds the id of its entity."""
    return isinstance(given, dict) and any(isinstance(given.get(name), str) for name in _ID)


def is_id(value: object, letter: str) -> bool:
    """Return whether a value is a Wikidata id: its letter and a number."""
    return isinstance(value, str) and value[:1] == letter and value[1:].isascii() and value[1:].isdigit()


def _text(given: dict[str, Any], names: tuple[str, ...]) -> str | None:
    for name in names:
        if given.get(name) is not None:
            return " ".join(a_text(given[name], name).split()) or None
    return None


def _texts(given: dict[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        value = given.get(name)
        if value is not None:
            rows = [value] if isinstance(value, str) else value
            if not isinstance(rows, list):
                raise StatementError(name, f"expected a list of strings, got {found(rows)}")
            words = (" ".join(a_text(row, name).split()) for row in rows)
            return tuple(dict.fromkeys(word for word in words if word))
    return ()


def _page_title(given: str | None) -> str | None:
    """Return a page's title, which may be given as a URL."""
    if given is None:
        return None
    _, marker, last = given.partition("/wiki/")
    return (unquote(last) if marker else given).replace("_", " ").strip() or None
