"""The relations of the small world, in families with the same argument types: only the wording distinguishes them."""

from __future__ import annotations

from dataclasses import dataclass

from protorel.statements import Relation, RelationVocabulary


@dataclass(frozen=True, slots=True)
class RelationDefinition:
    """A relation, the types of its arguments, and its constraints."""

    id: str
    name: str
    description: str
    family: str
    head_once: str = ""
    """An entity is the head of at most one fact of all relations with the same word here."""
    tail_once: str = ""
    """The same for the tail."""

    @property
    def head_type(self) -> str:
        """The type of the head."""
        return FAMILIES[self.family][0]

    @property
    def tail_type(self) -> str:
        """The type of the tail."""
        return FAMILIES[self.family][1]


FAMILIES: dict[str, tuple[str, str]] = {
    "person_city": ("person", "city"),
    "person_company": ("person", "company"),
    "city_country": ("city", "country"),
    "person_person": ("person", "person"),
    "person_book": ("person", "book"),
    "company_company": ("company", "company"),
    "river_country": ("river", "country"),
    "person_university": ("person", "university"),
    "person_team": ("person", "team"),
    "product_company": ("product", "company"),
}
"""The families, each with the types of head and tail."""

_PLACE, _FIRM, _STATE, _KIN, _BOOK = "person_city", "person_company", "city_country", "person_person", "person_book"
_TRADE, _RIVER, _SCHOOL = "company_company", "river_country", "person_university"
_TEAM, _GOODS = "person_team", "product_company"

DEFINITIONS: tuple[RelationDefinition, ...] = (
    RelationDefinition("born_in", "born in", "the city in which a person was born", _PLACE, "birth"),
    RelationDefinition("lives_in", "lives in", "the city in which a person has a home", _PLACE, "home"),
    RelationDefinition("works_in", "works in", "the city in which a person has a job", _PLACE, "job"),
    RelationDefinition("died_in", "died in", "the city in which a person died", _PLACE, "death"),
    RelationDefinition("founded", "founded", "a person started the company", _FIRM),
    RelationDefinition("leads", "leads", "a person is at the head of the company", _FIRM, "leader", "leader"),
    RelationDefinition("works_for", "works for", "a person is employed by the company", _FIRM, "employer"),
    RelationDefinition("invested_in", "invested in", "a person put money into shares of the company", _FIRM),
    RelationDefinition(
        "capital_of", "capital of", "the city from which the country is governed", _STATE, "country", "capital"
    ),
    RelationDefinition(
        "largest_city_of", "largest city of", "the city with most people in the country", _STATE, "country", "largest"
    ),
    RelationDefinition("located_in", "located in", "the country in which a town lies", _STATE, "country"),
    RelationDefinition("spouse_of", "spouse of", "two persons are married to each other", _KIN, "marriage", "marriage"),
    RelationDefinition("parent_of", "parent of", "the head is mother or father of the tail", _KIN, "", "parent"),
    RelationDefinition("sibling_of", "sibling of", "two persons have the same parents", _KIN, "twin", "twin"),
    RelationDefinition("teacher_of", "teacher of", "the head taught the tail a skill", _KIN),
    RelationDefinition("wrote", "wrote", "a person is the author of the book", _BOOK, "", "author"),
    RelationDefinition("translated", "translated", "a person put the book into another language", _BOOK),
    RelationDefinition("edited", "edited", "a person prepared the book's text for print", _BOOK, "", "editor"),
    RelationDefinition("acquired", "acquired", "the head bought the other company", _TRADE, "", "owner"),
    RelationDefinition("supplies", "supplies", "the head delivers goods to the other company", _TRADE),
    RelationDefinition("sued", "sued", "the head took the other company to court", _TRADE),
    RelationDefinition("flows_through", "flows through", "the river crosses the country", _RIVER),
    RelationDefinition("rises_in", "rises in", "the river has its source in the country", _RIVER, "source"),
    RelationDefinition("borders", "borders", "the river is part of the country's border", _RIVER),
    RelationDefinition("studied_at", "studied at", "a person was a student of the university", _SCHOOL),
    RelationDefinition("taught_at", "taught at", "a person gave lectures at the university", _SCHOOL),
    RelationDefinition("plays_for", "plays for", "a person is one of the team's players", _TEAM, "player"),
    RelationDefinition("coaches", "coaches", "a person trains the team", _TEAM, "coach", "coach"),
    RelationDefinition("captains", "captains", "a person is the team's captain", _TEAM, "captain", "captain"),
    RelationDefinition("made_by", "made by", "the company that manufactures the product", _GOODS, "maker"),
    RelationDefinition("designed_by", "designed by", "the company that designed the product", _GOODS, "designer"),
    RelationDefinition("sold_by", "sold by", "the company that sells the product", _GOODS),
)
"""All relations, in the order of the vocabulary."""

BY_ID: dict[str, RelationDefinition] = {definition.id: definition for definition in DEFINITIONS}
"""The relations by their id."""

TOGETHER: tuple[tuple[str, ...], ...] = (
    # Only relations that do not imply each other: a capital is always located in its country, so a sentence about a
    # capital would express both, and neither label would be wrong.
    ("born_in", "lives_in"),
    ("born_in", "works_in"),
    ("lives_in", "works_in"),
    ("born_in", "lives_in", "works_in"),
    ("founded", "leads"),
    ("founded", "works_for"),
    ("capital_of", "largest_city_of"),
    ("parent_of", "teacher_of"),
    ("wrote", "translated"),
    ("wrote", "edited"),
    ("translated", "edited"),
    ("acquired", "supplies"),
    ("acquired", "sued"),
    ("supplies", "sued"),
    ("acquired", "supplies", "sued"),
    ("flows_through", "borders"),
    ("rises_in", "borders"),
    ("studied_at", "taught_at"),
    ("plays_for", "coaches"),
    ("made_by", "designed_by"),
    ("made_by", "sold_by"),
    ("designed_by", "sold_by"),
    ("made_by", "designed_by", "sold_by"),
)
"""Sets of relations that one pair may have."""

HELD_OUT: tuple[str, ...] = (
    # two complete families ...
    "plays_for",
    "coaches",
    "captains",
    "made_by",
    "designed_by",
    "sold_by",
    # ... and some whose siblings are in the training set
    "died_in",
    "invested_in",
    "spouse_of",
    "sibling_of",
)
"""The relations without training statements."""

TRAINED: tuple[str, ...] = tuple(definition.id for definition in DEFINITIONS if definition.id not in HELD_OUT)
"""The relations of the training statements."""


def vocabulary() -> RelationVocabulary:
    """Return all relations with their names and descriptions."""
    return RelationVocabulary(Relation(d.id, d.name, d.description) for d in DEFINITIONS)
