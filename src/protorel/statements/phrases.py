"""A relation as a made-up statement: its name in a phrase with two placeholders for entities.

A name alone cannot say which entity is which: that of P40, "child", fits a sentence about a mother as well as one about
her son. In "it is the child of it", with its tail and head marked, it can. Sainz et al. 2021, "Label Verbalization and
Entailment for Effective Zero and Few-Shot Relation Extraction", put relations into words by hand for the same reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from protorel.io import BadInput
from protorel.statements.types import Relation, Span, Statement

ENGLISH = "{tail} is the {name} of {head}"
"""A phrase that fits most of Wikidata's properties. Of those tried on `fewrel_dev`, none was better."""
_PLACES = re.compile(r"(\{head\}|\{tail\}|\{name\})")
_STAND_IN = "it"
_LONGEST_PHRASE = 200
_LONGEST_NAME = 100
"""In characters. Anything longer is a sentence, not a name."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """How a relation's name becomes a statement.

    >>> made_up = Phrase(ENGLISH).of(Relation("P25", "mother"))
    >>> made_up.text, made_up.tail.of(made_up.text), made_up.head.start
    ('it is the mother of it', 'it', 20)
    """

    template: str
    """Text with {head}, {tail} and {name} in it, each once."""

    def __post_init__(self) -> None:
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
