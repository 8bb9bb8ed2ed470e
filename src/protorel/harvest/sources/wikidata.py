"""Wikidata JSON dumps: one entity per line, with or without the brackets and commas of an array, streamed.

Kept are, of each item, its label, aliases, page title and entity-valued statements of preferred or normal rank, and of
each property its words. Deprecated statements, unknown and absent values, and values that are not items are left out.
Dumps from before 2016 have only `numeric-id`, and some tools write an empty object as `[]`: both are read. A file that
is one entity, or one array without line ends, is read at once if it is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protorel.corpora import Reject, found
from protorel.harvest.libraries import library
from protorel.harvest.sources.compressed import CUT_SHORT, tolerant
from protorel.harvest.sources.files import SKIPPED_BYTES, first_bytes, raw_lines
from protorel.harvest.types import Entity, Fact, Property, Tally
from protorel.statements import BadInput, StatementError

Record = Fact | Entity | Property
"""What a source of facts yields."""

MAX_ENTITY = 32_000_000
"""The longest entity that is read, in bytes; Wikidata has some of a few million. Memory may be 30 times that."""


def read_wikidata(path: Path, tally: Tally, *, language: str = "en") -> Iterator[Record]:
    """Yield the entities of a dump, each followed by its facts; rows of the tally are entities."""
    if _has_one_per_line(first_bytes(path)):
        yield from _read_lines(path, tally, language)
    else:
        yield from _read_at_once(path, tally, language)


def _read_lines(path: Path, tally: Tally, language: str) -> Iterator[Record]:
    loads = library("orjson").loads
    array, known_cuts = _Array(), tally.noticed[CUT_SHORT]
    broken: Reject | None = None
    with tolerant(path, tally) as stream:
        for number, raw, length in raw_lines(stream, longest=MAX_ENTITY):
            line = array.strip(raw.strip())
            if not line:
                continue
            # Only the next line shows whether a broken line is the last one, that is a cut tail.
            if broken is not None:
                tally.reject(broken, reason="line is not JSON")
                broken = None
            try:
                if length > MAX_ENTITY:
                    tally.notice(SKIPPED_BYTES, length)
                    raise ValueError(f"expected at most {MAX_ENTITY} bytes, got {length}")
                entities = loads(b"[%b]" % line)
            except ValueError as problem:
                shown = line[:600].decode("utf-8", "replace")
                broken = Reject(path.name, number, "line", f"is not complete JSON ({problem})", shown)
                continue
            for entity in entities:
                yield from _records(entity, language, tally, (path.name, number))
    if broken is not None:
        tally.reject(broken, reason="last line is not whole")
    if (broken is not None or array.is_open) and tally.noticed[CUT_SHORT] == known_cuts:
        tally.notice(CUT_SHORT, example=Reject(path.name, None, "file", "the array of entities is not closed", ""))


class _Array:
    """Removes the brackets and commas around the entities of an array; a dump of plain lines has none."""

    def __init__(self) -> None:
        self.is_open = False
        self._begun = False

    def strip(self, line: bytes) -> bytes:
        if not self._begun and line:
            self._begun = True
            self.is_open = line.startswith(b"[")
            line = line[1:].lstrip() if self.is_open else line
        if self.is_open and line.endswith(b"]"):
            self.is_open = False
            line = line[:-1].rstrip()
        return line.removesuffix(b",")


def _read_at_once(path: Path, tally: Tally, language: str) -> Iterator[Record]:
    """Read one entity, an array or the web service's `{"entities": {...}}`, in any layout."""
    with tolerant(path, tally) as stream:
        content = stream.read(MAX_ENTITY + 1)
    if len(content) > MAX_ENTITY:
        raise BadInput(f"{path}: expected one entity per line, as in a Wikidata dump; the first line has none")
    try:
        given = library("orjson").loads(content)
    except ValueError as problem:
        raise BadInput(f"{path}: expected Wikidata JSON with one entity per line ({problem})") from None
    if isinstance(given, dict) and isinstance(given.get("entities"), dict):
        given = list(given["entities"].values())
    for place, entity in enumerate(given if isinstance(given, list) else [given]):
        yield from _records(entity, language, tally, (f"{path.name}[{place}]", None))


def _records(given: Any, language: str, tally: Tally, place: tuple[str, int | None]) -> Iterator[Record]:
    try:
        if not isinstance(given, dict):
            raise StatementError("line", f"expected an entity, got {found(given)}")
        kind = given.get("type")
        if kind not in ("item", "property"):
            if isinstance(kind, str) and kind.isalpha() and id_of(given):
                return tally.leave(f"type {kind[:40]}")
            raise StatementError("type", f"expected item or property, got {found(kind)}")
        records = entity_of(given, language, tally)
    except StatementError as problem:
        return tally.reject(Reject(*place, problem.field, problem.reason, str(given)[:600]), reason="no entity")
    tally.take()
    yield from records


def _has_one_per_line(start: bytes) -> bool:
    """Return whether an entity begins and ends on the first line that holds one, judging by the first bytes."""
    first, end, _ = start.lstrip(b"[ \t\r\n").partition(b"\n")
    entity = first.strip()
    return not end or entity.endswith((b"}", b"},", b"}]"))


ANY_LANGUAGE = "mul"
"""Wikidata's code for a name that holds in all languages: since 2024 many people have only this label."""
_INSTANCE_OF = "P31"


def entity_of(given: dict[str, Any], language: str, tally: Tally) -> list[Entity | Property | Fact]:
    """Return an item with its facts, or a property; raise `StatementError` if the object is neither."""
    id = id_of(given)
    if id is None:
        raise StatementError("id", f"expected an id such as Q42 or P19, got {found(given.get('id'))}")
    label = _label(given, language)
    if label is None:
        tally.notice(f"{given['type']} without a label in {language!r}")
    aliases = _aliases(given, language)
    if given["type"] == "property":
        description = _value(_object(given, "descriptions").get(language))
        return [Property(id, label, description, aliases)]
    facts = list(_facts(id, given, tally))
    kinds = tuple(dict.fromkeys(fact.object for fact in facts if fact.relation == _INSTANCE_OF))
    return [Entity(id, label, aliases, _title(given, language), kinds), *facts]


def id_of(given: dict[str, Any]) -> str | None:
    """Return the entity's id, Q, P or L and a number."""
    id = given.get("id")
    return id if isinstance(id, str) and id[:1] in ("Q", "P", "L") and _is_number(id[1:]) else None


def _label(given: dict[str, Any], language: str) -> str | None:
    labels = _object(given, "labels")
    return _value(labels.get(language)) or _value(labels.get(ANY_LANGUAGE))


def _aliases(given: dict[str, Any], language: str) -> tuple[str, ...]:
    aliases = _object(given, "aliases")
    rows = [row for code in (language, ANY_LANGUAGE) for row in _list(aliases.get(code))]
    return tuple(dict.fromkeys(alias for row in rows if (alias := _value(row))))


def _title(given: dict[str, Any], language: str) -> str | None:
    link = _object(given, "sitelinks").get(f"{language.replace('-', '_')}wiki")
    title = link.get("title") if isinstance(link, dict) else None
    return _normalised(title)


def _facts(subject: str, given: dict[str, Any], tally: Tally) -> Iterator[Fact]:
    for relation, statements in _object(given, "claims").items():
        if not (relation.startswith("P") and _is_number(relation[1:])):
            tally.notice("statement that cannot be read")
            continue
        for statement in _list(statements):
            target = _target(statement, tally)
            if target is not None:
                yield Fact(subject, relation, target)


def _target(statement: Any, tally: Tally) -> str | None:
    """Return the item that is the value of a statement; None, counted, if it has none or is deprecated."""
    snak = statement.get("mainsnak") if isinstance(statement, dict) else None
    if not isinstance(snak, dict):
        tally.notice("statement that cannot be read")
        return None
    if statement.get("rank") == "deprecated":
        tally.notice("statement of deprecated rank")
        return None
    if snak.get("snaktype") in ("somevalue", "novalue"):
        tally.notice("statement of an unknown or absent value")
        return None
    value = snak.get("datavalue")
    if not isinstance(value, dict) or "type" not in value:
        tally.notice("statement that cannot be read")
        return None
    if value["type"] != "wikibase-entityid":
        tally.notice("statement whose value is no entity")
        return None
    return _item(value.get("value"), tally)


def _item(value: Any, tally: Tally) -> str | None:
    if isinstance(value, dict):
        id, number = value.get("id"), value.get("numeric-id")
        if id is None and value.get("entity-type") == "item" and isinstance(number, int | str):
            id = f"Q{number}"
        if isinstance(id, str) and id.startswith("Q") and _is_number(id[1:]):
            return id
        if isinstance(id, str) or value.get("entity-type") in ("property", "lexeme", "form", "sense"):
            tally.notice("statement whose value is an entity but no item")
            return None
    tally.notice("statement that cannot be read")
    return None


def _object(given: dict[str, Any], field: str) -> dict[str, Any]:
    value = given.get(field)
    # PHP writes an empty map as an empty list.
    if value is None or value == []:
        return {}
    if not isinstance(value, dict):
        raise StatementError(field, f"expected an object, got {found(value)}")
    return value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _value(term: Any) -> str | None:
    return _normalised(term.get("value")) if isinstance(term, dict) else None


def _normalised(text: Any) -> str | None:
    """Return a name on one line with single spaces; None if nothing is left."""
    return (" ".join(text.split()) or None) if isinstance(text, str) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
