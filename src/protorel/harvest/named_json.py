"""One entry of a JSON alias file: the same few facts of an entity under the names that different makers gave them."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from protorel.corpora import a_text, found
from protorel.harvest.types import Entity, Property
from protorel.statements import StatementError

_ID = ("wikidata_id", "id", "entity", "qid")
_LABEL = ("label", "name")
_ALIASES = ("aliases", "alternatives", "alias", "names")
_TITLE = ("title", "wikipedia", "wiki")
_KINDS = ("kinds", "types", "kind", "type")


def named_of(key: str | None, given: Any) -> Entity | Property:
    """Return the entity or property that an entry names; its own id goes before the key it stands under.

    A text alone is the label. A list alone is names or, where all of it are ids such as Q5, kinds.
    """
    if isinstance(given, str):
        given = {"label": given}
    elif isinstance(given, list):
        given = {"kinds" if given and all(is_id(one, "Q") for one in given) else "aliases": given}
    if not isinstance(given, dict):
        raise StatementError("entry", f"is {found(given)}, an object, a list or a text is wanted")
    id = _text(given, _ID) or key
    if not id or not id.strip():
        raise StatementError("id", "is missing")
    label, aliases = _text(given, _LABEL), _texts(given, _ALIASES)
    if is_id(id, "P"):
        return Property(id, label, _text(given, ("description",)), aliases)
    return Entity(id, label, aliases, _page_title(_text(given, _TITLE)), _texts(given, _KINDS))


def has_id(given: Any) -> bool:
    """Tell whether an object names the entity that it is about."""
    return isinstance(given, dict) and any(isinstance(given.get(name), str) for name in _ID)


def is_id(value: object, letter: str) -> bool:
    """Tell whether this is an id of Wikidata: its letter and a number."""
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
                raise StatementError(name, f"is {found(rows)}, a list of texts is wanted")
            words = (" ".join(a_text(row, name).split()) for row in rows)
            return tuple(dict.fromkeys(word for word in words if word))
    return ()


def _page_title(given: str | None) -> str | None:
    """Return a page's title, which may be given by its address."""
    if given is None:
        return None
    _, marker, last = given.partition("/wiki/")
    return (unquote(last) if marker else given).replace("_", " ").strip() or None
