"""What relations are called and what they mean: names and descriptions, and the files that people have them in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from protorel.io import BadInput, kind, parse_json, parse_yaml, printable, read_text
from protorel.statements.phrases import Phrase
from protorel.statements.types import Relation, Statement

Wording = str | Statement
"""A text of a relation, or a statement made up from its name."""
_LONGEST = 2_000
"""The longest name or description, in characters: a bound on the cost of a hostile file."""
_NOTHING = frozenset({"no description defined", "no description"})
"""What Wikidata, and lists made from it, have in place of a description."""


@dataclass(frozen=True, slots=True)
class Descriptions:
    """Relations with a name, a description, or both, by id.

    >>> known = Descriptions.of({"P19": Relation("P19", "place of birth", "where a person was born")})
    >>> known.text("P19"), "P20" in known
    ('place of birth: where a person was born', False)
    >>> known.wordings(["P19"])
    [('place of birth', 'place of birth: where a person was born')]
    """

    relations: Mapping[str, Relation]
    name: str = ""
    phrase: Phrase | None = None
    """Makes a statement of a relation's name, as one more text."""

    @classmethod
    def of(cls, relations: Mapping[str, Relation], *, name: str = "") -> Descriptions:
        """Return descriptions of relations that all have a text."""
        if empty := [key for key, relation in relations.items() if not _text(relation)]:
            raise BadInput(f"{name or 'descriptions'}: relation {empty[0]!r} has neither a name nor a description")
        return cls(dict(relations), name)

    def __contains__(self, relation: object) -> bool:
        return relation in self.relations

    def __len__(self) -> int:
        return len(self.relations)

    def text(self, relation: str) -> str | None:
        """Return a relation's name and description in one line, or None if it has neither."""
        found = self.relations.get(relation)
        return None if found is None else _text(found)

    def phrased(self, template: str | None) -> Descriptions:
        """Return the same relations with this phrase, or with none."""
        return replace(self, phrase=None if template is None else Phrase(template))

    @property
    def template(self) -> str | None:
        """The phrase as text, if there is one."""
        return None if self.phrase is None else self.phrase.template

    def wordings(self, relations: Iterable[str]) -> list[tuple[Wording, ...]]:
        """Return the texts of each relation: its name, its name with its description, and its made-up statement.

        Name and description together distinguish relations better than either alone. A made-up statement also says
        which entity is which.

        Raises:
            BadInput: a relation has no text.
        """
        asked = list(relations)
        if missing := [relation for relation in asked if relation not in self.relations]:
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            raise BadInput(
                f"{self.name or 'descriptions'}: expected a name or a description for each relation, "
                f"got none for {missing[0]!r}{more}"
            )
        return [_wordings(self.relations[relation], self.phrase) for relation in asked]

    def as_json(self) -> dict[str, Any]:
        """Return name, fingerprint and phrase, for a record."""
        return {"name": self.name, "fingerprint": self.fingerprint, "phrase": self.template}

    @property
    def fingerprint(self) -> str:
        """A hash of all texts, and of the phrase if there is one."""
        whole = json.dumps(sorted((key, _text(relation)) for key, relation in self.relations.items()))
        if self.phrase is not None:
            whole += self.phrase.template
        return hashlib.sha256(whole.encode()).hexdigest()


def load_descriptions(path: Path | str) -> Descriptions:
    """Read names and descriptions of relations from a file.

    Args:
        path: FewRel's pid2name.json; Wikidata properties (one, an array, or one per line); or YAML or JSON of your own,
            which maps each relation to its name, to [name, description], or to {name: …, description: …}.

    Raises:
        BadInput: the file cannot be read, or an entry is none of these.
    """
    place = Path(path)
    relations = _read_relations(read_text(place), str(place), yaml=place.suffix.lower() in (".yaml", ".yml"))
    return Descriptions.of(relations, name=place.name)


def _text(relation: Relation) -> str:
    return ": ".join(part for part in (relation.name, relation.description) if part)


def _wordings(relation: Relation, phrase: Phrase | None) -> tuple[Wording, ...]:
    texts = (relation.name, _text(relation)) if relation.name and relation.description else (_text(relation),)
    made_up = phrase.of(relation) if phrase is not None else None
    return texts if made_up is None else (*texts, made_up)


def _read_relations(text: str, where: str, *, yaml: bool) -> dict[str, Relation]:
    """Return the relations of a file's text; messages call it `where`."""
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
        return "" if said.lower().rstrip(".") in _NOTHING else said
    place = f"{printable(key)}: {field}: " if field else f"{printable(key)}: "
    if isinstance(value, str):
        raise BadInput(f"{place}expected at most {_LONGEST} characters, got {len(value)}")
    raise BadInput(f"{place}expected text, got {kind(value)}")


def _name(value: str, place: str) -> str:
    if not value.strip():
        raise BadInput(f"{place}: expected the id of a relation, got an empty text")
    return value
