"""Reading names and descriptions of relations: FewRel's pid2name.json, Wikidata properties, YAML and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from protorel.io import BadInput, as_path, kind, parse_json, parse_yaml, printable, read_text
from protorel.statements.descriptions import Descriptions
from protorel.statements.types import Relation

_LONGEST = 2_000
"""The longest name or description, in characters: a bound on the cost of a hostile file."""
_NO_DESCRIPTION = frozenset({"no description defined", "no description"})
"""The placeholders of Wikidata, and of lists made from it, for a missing description."""


def load_descriptions(path: Path | str) -> Descriptions:
    """Read names and descriptions of relations from a file.

    Args:
        path: FewRel's pid2name.json; Wikidata properties (one, an array, or one per line); or YAML or JSON of your own,
            which maps each relation to its name, to [name, description], or to {name: …, description: …}.

    Returns:
        The descriptions, named after the file.

    Raises:
        BadInput: the file cannot be read, or an entry is none of these.

    >>> _ = Path("relations.yaml").write_text("born_in: [born in, the city in which a person was born]")
    >>> load_descriptions("relations.yaml").text("born_in")
    'born in: the city in which a person was born'
    """
    place = as_path(path)
    relations = _read_relations(read_text(place), str(place), yaml=place.suffix.lower() in (".yaml", ".yml"))
    return Descriptions.of(relations, name=place.name)


def _read_relations(text: str, where: str, *, yaml: bool) -> dict[str, Relation]:
    """Return the relations in the text of a file; `where` is its name, for messages."""
    try:
        found = dict(_relations(parse_yaml(text, as_text=True) if yaml else _json(text)))
    except ValueError as problem:
        raise BadInput(f"{where}: {problem}") from problem
    if not found:
        raise BadInput(f"{where}: expected one relation or more, got none")
    return found


def _json(text: str) -> Any:
    """Parse JSON, or one object per line as in Wikidata's dumps."""
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
                raise BadInput(f"entry {number}: expected an object with `id` and `labels`, got {kind(entity)}")
            yield from _entity(entity)
    elif _is_entity(whole):
        yield from _entity(whole)
    elif isinstance(whole, dict) and isinstance(whole.get("entities"), dict):
        yield from _relations(list(whole["entities"].values()))
    elif isinstance(whole, dict):
        for key, value in whole.items():
            yield _name(key, "a key"), _own(key, value)
    else:
        raise BadInput(f"expected a mapping of relations to their names and descriptions, got {kind(whole)}")


def _is_entity(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("id"), str) and isinstance(value.get("labels"), dict)


def _entity(entity: Mapping[str, Any]) -> Iterator[tuple[str, Relation]]:
    """Yield a Wikidata entity in English, or in its only language; one without a label there is skipped."""
    key = _name(entity["id"], "id")
    labels, descriptions = entity["labels"], entity.get("descriptions") or {}
    if not isinstance(descriptions, dict):
        raise BadInput(f"{printable(key)}: descriptions: expected a mapping of languages, got {kind(descriptions)}")
    language = "en" if "en" in labels or len(labels) != 1 else next(iter(labels))
    if language in labels:
        name = _said(labels[language], key, f"labels.{printable(language)}")
        known = language in descriptions
        about = _said(descriptions[language], key, f"descriptions.{printable(language)}") if known else ""
        yield key, Relation(key, name, about)


def _said(value: Any, key: str, field: str) -> str:
    return _words(value.get("value") if isinstance(value, dict) else value, key, field)


def _own(key: str, value: Any) -> Relation:
    """Return one entry of a user's own file, or of pid2name.json."""
    if isinstance(value, str):
        return Relation(key, _words(value, key))
    if isinstance(value, list) and 1 <= len(value) <= 2:
        return Relation(key, *(_words(part, key) for part in value))
    if isinstance(value, dict) and value and value.keys() <= {"name", "label", "description"}:
        name = value.get("name", value.get("label", ""))
        return Relation(key, _words(name, key, "name"), _words(value.get("description", ""), key, "description"))
    found = f"a mapping with {', '.join(map(printable, list(value)[:4]))}" if isinstance(value, dict) else kind(value)
    expected = "a name, [name, description] or {name: …, description: …}"
    raise BadInput(f"{printable(key)}: expected {expected}, got {found}")


def _words(value: Any, key: str, field: str = "") -> str:
    if isinstance(value, str) and len(value) <= _LONGEST:
        said = " ".join(value.split())
        return "" if said.lower().rstrip(".") in _NO_DESCRIPTION else said
    place = f"{printable(key)}: {field}: " if field else f"{printable(key)}: "
    if isinstance(value, str):
        raise BadInput(f"{place}expected at most {_LONGEST} characters, got {len(value)}")
    raise BadInput(f"{place}expected text, got {kind(value)}")


def _name(value: str, place: str) -> str:
    if not value.strip():
        raise BadInput(f"{place}: expected the id of a relation, got an empty text")
    return value
