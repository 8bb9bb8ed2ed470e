"""Names and descriptions of relations, and the texts that an encoder reads in place of examples.

A name alone cannot say which entity is which: that of P40, "child", fits a sentence about a mother as well as one about
her son. In "it is the child of it", with tail and head marked, it can. Sainz et al. 2021, "Label Verbalization and
Entailment for Effective Zero and Few-Shot Relation Extraction", verbalise relations by hand for the same reason.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from protorel.io import BadInput, check_type, shown
from protorel.statements.types import Relation, Span, Statement
from protorel.statements.vocabulary import RelationVocabulary

Wording = str | Statement
"""A text of a relation, or a statement made up from its name."""
ENGLISH = "{tail} is the {name} of {head}"
"""A phrase that fits most Wikidata properties, the best of those tried on `fewrel_dev`."""
_PLACES = re.compile(r"(\{head\}|\{tail\}|\{name\})")
_STAND_IN = "it"
_LONGEST_PHRASE = 200
_LONGEST_NAME = 100
"""In characters; anything longer is a sentence, not a name."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A template that turns a relation's name into a statement.

    >>> made_up = Phrase(ENGLISH).of(Relation("P25", "mother"))
    >>> made_up.text, made_up.tail.of(made_up.text), made_up.head.start
    ('it is the mother of it', 'it', 20)
    """

    template: str
    """Text that contains {head}, {tail} and {name} once each."""

    def __post_init__(self) -> None:
        check_type(self.template, str, where="phrase", expected="text")
        found = sorted(part for part in _PLACES.split(self.template) if _PLACES.fullmatch(part))
        if found != ["{head}", "{name}", "{tail}"] or len(self.template) > _LONGEST_PHRASE:
            raise BadInput(
                f"phrase: expected {{head}}, {{name}} and {{tail}}, each once, as in {ENGLISH!r}, in at most "
                f"{_LONGEST_PHRASE} characters, got {self.template[:_LONGEST_PHRASE]!r}"
            )

    def of(self, relation: Relation) -> Statement | None:
        """Return the made-up statement of a relation, or None if its name is missing or too long."""
        if not relation.name or len(relation.name) > _LONGEST_NAME:
            return None
        text, places = "", {}
        for part in _PLACES.split(self.template):
            said = {"{name}": relation.name, "{head}": _STAND_IN, "{tail}": _STAND_IN}.get(part, part)
            places[part] = Span(len(text), len(text) + len(said))
            text += said
        return Statement(text, places["{head}"], places["{tail}"], relation.id, id=f"phrase of {relation.id}")


@dataclass(frozen=True, slots=True)
class Descriptions:
    """Relations with a name, a description, or both, by id; `load_descriptions` reads them from a file.

    >>> known = Descriptions.of({"P19": Relation("P19", "place of birth", "where a person was born")})
    >>> known.text("P19"), "P20" in known
    ('place of birth: where a person was born', False)
    >>> known.wordings(["P19"])
    [('place of birth', 'place of birth: where a person was born')]
    """

    relations: Mapping[str, Relation]
    name: str = ""
    phrase: Phrase | None = None
    """Turns a relation's name into a statement, as one more text."""

    @classmethod
    def of(cls, relations: Mapping[str, Relation], *, name: str = "") -> Descriptions:
        """Return the descriptions of relations that all have a text.

        Args:
            relations: Relations by id.
            name: The name for messages and records, such as that of a file.

        Raises:
            BadInput: a value is not a `Relation`, or a relation has neither a name nor a description.
        """
        where = name or "descriptions"
        check_type(relations, Mapping, where=where, expected="a dict of relations by id")
        for key, relation in relations.items():
            check_type(relation, Relation, where=f"{where}, {shown(key)}", expected="a Relation")
        if empty := [key for key, relation in relations.items() if not _text(relation)]:
            raise BadInput(f"{where}: relation {empty[0]!r} has neither a name nor a description")
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
        """Return the same relations with this phrase; None for no phrase."""
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
        check_type(relations, Iterable, where="relations", expected="a list of ids")
        asked = list(relations)
        if missing := [relation for relation in asked if relation not in self.relations]:
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            raise BadInput(
                f"{self.name or 'descriptions'}: expected a name or a description for each relation, "
                f"got none for {missing[0]!r}{more}"
            )
        return [_wordings(self.relations[relation], self.phrase) for relation in asked]

    def vocabulary(self, relations: Iterable[str]) -> RelationVocabulary:
        """Return relations in this order, with their names and descriptions where there are any."""
        return RelationVocabulary(self.relations.get(relation, Relation(relation)) for relation in relations)

    def as_json(self) -> dict[str, Any]:
        """Return name, fingerprint and phrase, for JSON."""
        return {"name": self.name, "fingerprint": self.fingerprint, "phrase": self.template}

    @property
    def fingerprint(self) -> str:
        """A hash of all texts, and of the phrase if there is one."""
        whole = json.dumps(sorted((key, _text(relation)) for key, relation in self.relations.items()))
        if self.phrase is not None:
            whole += self.phrase.template
        return hashlib.sha256(whole.encode()).hexdigest()


def _text(relation: Relation) -> str:
    return ": ".join(part for part in (relation.name, relation.description) if part)


def _wordings(relation: Relation, phrase: Phrase | None) -> tuple[Wording, ...]:
    texts = (relation.name, _text(relation)) if relation.name and relation.description else (_text(relation),)
    made_up = phrase.of(relation) if phrase is not None else None
    return texts if made_up is None else (*texts, made_up)
