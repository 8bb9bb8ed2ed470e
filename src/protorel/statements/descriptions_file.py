"""Files that say what relations mean, in the forms that people have them in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from protorel.io import BadInput, kind, parse_json, parse_yaml, printable
from protorel.statements.types import Relation

LONGEST = 2_000
"""The longest name or description that is taken, in characters: a bound on what a hostile file can cost."""
_NOTHING = frozenset({"no description defined", "no description"})
"""What Wikidata and lists made from it write where there is no description."""


def read_relations(text: str, where: str, *, yaml: bool) -> dict[str, Relation]:
    """Parse a file's text; `where` is what messages call it."""
    try:
        found = dict(_relations(parse_yaml(text, as_text=True) if yaml else _json(text)))
    except ValueError as problem:
        raise BadInput(f"{where}: {problem}") from problem
    if not found:
        raise BadInput(f"{where}: describes no relation")
    return found


def _json(text: str) -> Any:
    """Read JSON, or one object per line, as Wikidata's dumps are written."""
    try:
        return parse_json(text)
    except ValueError as problem:
        lines = [line.strip().rstrip(",") for line in text.splitlines()]
        objects = [line for line in lines if line not in ("", "[", "]")]
        no_json = isinstance(problem.__cause__, json.JSONDecodeError)
        if not no_json or len(objects) < 2 or not objects[0].startswith("{"):
            raise
    read = []
    for number, line in enumerate(lines, start=1):
        if line not in ("", "[", "]"):
            try:
                read.append(parse_json(line))
            except ValueError as problem:
                raise BadInput(f"line {number}: {problem}") from problem
    return read


def _relations(whole: Any) -> Iterator[tuple[str, Relation]]:
    if isinstance(whole, list):
        for number, entity in enumerate(whole, start=1):
            if not _is_entity(entity):
                raise BadInput(f"entry {number} is {kind(entity)}, an object with `id` and `labels` is wanted")
            yield from _entity(entity)
    elif _is_entity(whole):
        yield from _entity(whole)
    elif isinstance(whole, dict) and isinstance(whole.get("entities"), dict):
        yield from _relations(list(whole["entities"].values()))
    elif isinstance(whole, dict):
        for key, value in whole.items():
            yield _name(key, "a key"), _own(key, value)
    else:
        raise BadInput(f"holds {kind(whole)}, a mapping of relations to their names and descriptions is wanted")


def _is_entity(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("id"), str) and isinstance(value.get("labels"), dict)


def _entity(entity: Mapping[str, Any]) -> Iterator[tuple[str, Relation]]:
    """Take a Wikidata entity in English, or in its only language; one that has no label there is passed over."""
    key = _name(entity["id"], "id")
    labels, descriptions = entity["labels"], entity.get("descriptions") or {}
    if not isinstance(descriptions, dict):
        raise BadInput(f"{printable(key)}: descriptions: is {kind(descriptions)}, a mapping of languages is wanted")
    language = "en" if "en" in labels or len(labels) != 1 else next(iter(labels))
    if language in labels:
        name = _said(labels[language], key, f"labels.{printable(language)}")
        known = language in descriptions
        about = _said(descriptions[language], key, f"descriptions.{printable(language)}") if known else ""
        yield key, Relation(key, name, about)


def _said(value: Any, key: str, field: str) -> str:
    return _words(value.get("value") if isinstance(value, dict) else value, key, field)


def _own(key: str, value: Any) -> Relation:
    """Take one entry of a user's own file, or of pid2name.json."""
    if isinstance(value, str):
        return Relation(key, _words(value, key))
    if isinstance(value, list) and 1 <= len(value) <= 2:
        return Relation(key, *(_words(part, key) for part in value))
    if isinstance(value, dict) and value and value.keys() <= {"name", "label", "description"}:
        name = value.get("name", value.get("label", ""))
        return Relation(key, _words(name, key, "name"), _words(value.get("description", ""), key, "description"))
    found = f"a mapping with {', '.join(map(printable, list(value)[:4]))}" if isinstance(value, dict) else kind(value)
    wanted = "a name, [name, description] or {name: …, description: …}"
    raise BadInput(f"{printable(key)}: is {found}; {wanted} is wanted")


def _words(value: Any, key: str, field: str = "") -> str:
    if isinstance(value, str) and len(value) <= LONGEST:
        said = " ".join(value.split())
        return "" if said.lower().rstrip(".") in _NOTHING else said
    place = f"{printable(key)}: {field}: " if field else f"{printable(key)}: "
    if isinstance(value, str):
        raise BadInput(f"{place}has {len(value)} characters, at most {LONGEST} are allowed")
    raise BadInput(f"{place}is {kind(value)}, text is wanted")


def _name(value: str, place: str) -> str:
    if not value.strip():
        raise BadInput(f"{place} is empty, the id of a relation is wanted")
    return value
