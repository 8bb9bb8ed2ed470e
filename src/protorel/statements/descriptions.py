"""What relations are called and what they mean, in words: enough to recognise one of which no example is given."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from protorel.io import BadInput, read_text
from protorel.statements.descriptions_file import read_relations
from protorel.statements.phrases import Phrase
from protorel.statements.types import Relation, Statement

Wording = str | Statement
"""Something to read of a relation: a text, or a statement that was made up from its name."""


@dataclass(frozen=True, slots=True)
class Descriptions:
    """Relations with a name, a description, or both, by id.

    >>> known = Descriptions.of({"P19": Relation("P19", "place of birth", "where somebody was born")})
    >>> known.text("P19"), "P20" in known
    ('place of birth: where somebody was born', False)
    >>> known.wordings(["P19"])
    [('place of birth', 'place of birth: where somebody was born')]
    """

    relations: Mapping[str, Relation]
    name: str = ""
    phrase: Phrase | None = None
    """What makes a statement of a relation's name, as one more wording."""

    @classmethod
    def of(cls, relations: Mapping[str, Relation], *, name: str = "") -> Descriptions:
        """Take relations that all have a text."""
        if empty := [key for key, relation in relations.items() if not _text(relation)]:
            raise BadInput(f"{name or 'descriptions'}: relation {empty[0]!r} has neither a name nor a description")
        return cls(dict(relations), name)

    def __contains__(self, relation: object) -> bool:
        return relation in self.relations

    def __len__(self) -> int:
        return len(self.relations)

    def text(self, relation: str) -> str | None:
        """Return a relation's name and description in one line, or None where nobody described it."""
        found = self.relations.get(relation)
        return None if found is None else _text(found)

    def phrased(self, template: str | None) -> Descriptions:
        """Return the same relations with names that are made statements by this phrase, or by none."""
        return replace(self, phrase=None if template is None else Phrase(template))

    @property
    def template(self) -> str | None:
        """The phrase as text, where there is one."""
        return None if self.phrase is None else self.phrase.template

    def wordings(self, relations: Iterable[str]) -> list[tuple[Wording, ...]]:
        """Return all that can be read of relations that all must have a text: the name alone, and with what it means.

        A description says more than a name, but also says what every other one says; the two together tell relations
        apart better than either. A made-up statement says besides which of two entities is which.
        """
        wanted = list(relations)
        if missing := [relation for relation in wanted if relation not in self.relations]:
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            raise BadInput(
                f"{self.name or 'descriptions'}: has no text for relation {missing[0]!r}{more}; "
                "a name, or a name and a description, is wanted for each"
            )
        return [_wordings(self.relations[relation], self.phrase) for relation in wanted]

    def as_json(self) -> dict[str, Any]:
        """Say which relations were read in words, and how."""
        return {"name": self.name, "fingerprint": self.fingerprint, "phrase": self.template}

    @property
    def fingerprint(self) -> str:
        """A hash of all texts, and of the phrase where there is one."""
        whole = json.dumps(sorted((key, _text(relation)) for key, relation in self.relations.items()))
        if self.phrase is not None:
            whole += self.phrase.template
        return hashlib.sha256(whole.encode()).hexdigest()


def load_descriptions(path: Path | str) -> Descriptions:
    """Read FewRel's pid2name.json, Wikidata properties (one, an array, or one a line), or a user's own YAML or JSON.

    One's own file maps each relation to its name, to [name, description], or to {name: …, description: …}.
    """
    place = Path(path)
    relations = read_relations(read_text(place), str(place), yaml=place.suffix.lower() in (".yaml", ".yml"))
    return Descriptions.of(relations, name=place.name)


def _text(relation: Relation) -> str:
    return ": ".join(part for part in (relation.name, relation.description) if part)


def _wordings(relation: Relation, phrase: Phrase | None) -> tuple[Wording, ...]:
    texts = (relation.name, _text(relation)) if relation.name and relation.description else (_text(relation),)
    made_up = phrase.of(relation) if phrase is not None else None
    return texts if made_up is None else (*texts, made_up)
