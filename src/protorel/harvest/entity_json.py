"""One entity of Wikidata's JSON: what it is called, and which items its statements name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from protorel.corpora import found
from protorel.harvest.tally import Tally
from protorel.harvest.types import Entity, Fact, Property
from protorel.statements import StatementError

ANY_LANGUAGE = "mul"
"""Wikidata's code for a name that holds in all languages: since 2024 many people have a label in no other."""
_INSTANCE_OF = "P31"


def entity_of(given: dict[str, Any], language: str, tally: Tally) -> list[Entity | Property | Fact]:
    """Return an item with its facts, or a property; raise `StatementError` where the object is neither."""
    id = id_of(given)
    if id is None:
        raise StatementError("id", f"is {found(given.get('id'))}, an id such as Q42 or P19 is wanted")
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
    return _written(title)


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
    """Return the item that a statement names; None, counted, where it names none or is not to be believed."""
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
    # PHP writes an empty map as an empty list, and so do dumps made by it.
    if value is None or value == []:
        return {}
    if not isinstance(value, dict):
        raise StatementError(field, f"is {found(value)}, an object is wanted")
    return value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _value(term: Any) -> str | None:
    return _written(term.get("value")) if isinstance(term, dict) else None


def _written(text: Any) -> str | None:
    """Return a name on one line with single blanks; None where nothing is left."""
    return (" ".join(text.split()) or None) if isinstance(text, str) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
