"""Entities, and the facts that hold between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from protorel.corpora.small_world.chance import Chance
from protorel.corpora.small_world.names import ENTITY_TYPES, Names
from protorel.corpora.small_world.relations import BY_ID, FAMILIES, TOGETHER
from protorel.statements import WorkFailed


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing with a name and a type."""

    id: str
    name: str
    type: str
    is_woman: bool = False
    """Determines the pronouns of a person."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Two entities, by their ids, and a relation that holds between them."""

    head: str
    relation: str
    tail: str


@dataclass(frozen=True, slots=True)
class Realm:
    """A closed part of the world: its entities occur in no fact and no sentence of another realm."""

    entities: Mapping[str, tuple[Entity, ...]]
    """By type."""
    holds: Mapping[tuple[str, str], tuple[str, ...]]
    """The relations of each pair that has any."""
    by_id: Mapping[str, Entity]
    families: frozenset[tuple[str, str]] = field(repr=False)
    """Pairs of a head and a family of its facts."""

    @property
    def facts(self) -> Iterator[Fact]:
        """The facts, pair by pair."""
        return (Fact(head, relation, tail) for (head, tail), held in self.holds.items() for relation in held)

    def knows(self, one: str, other: str) -> bool:
        """Tell whether the two are a pair, in either order."""
        return (one, other) in self.holds or (other, one) in self.holds


# Entities per fact of a relation: enough to satisfy `head_once` and `tail_once`.
_ENTITIES_PER_FACT = {
    "person": 6.0, "city": 4.0, "country": 2.5, "company": 3.0, "book": 4.0, "river": 3.0, "university": 1.5,
    "team": 2.5, "product": 3.0, "region": 0.5, "mountain": 0.5, "band": 0.5, "film": 0.5,
}  # fmt: skip

# Pairs with one, two and three relations, as shares of the facts per relation.
_SHARE_OF_PAIRS = {1: 0.4, 2: 0.3, 3: 0.15}


def make_realm(relations: Sequence[str], *, facts_per_relation: int, names: Names, first: int, chance: Chance) -> Realm:
    """Return invented entities, numbered from `first`, and about `facts_per_relation` facts for each relation."""
    entities: dict[str, tuple[Entity, ...]] = {}
    number = first
    for kind in ENTITY_TYPES:
        made = []
        for _ in range(math.ceil(_ENTITIES_PER_FACT[kind] * facts_per_relation) + 4):
            is_woman = kind == "person" and chance.coin(0.5)
            name = names.next(("woman" if is_woman else "man") if kind == "person" else kind)
            made.append(Entity(f"E{number:04d}", name, kind, is_woman))
            number += 1
        entities[kind] = tuple(made)
    holds = _sample_pairs(_groups(relations, facts_per_relation), entities, chance)
    by_id = {entity.id: entity for made_of_type in entities.values() for entity in made_of_type}
    families = frozenset((head, BY_ID[held[0]].family) for (head, _), held in holds.items())
    return Realm(entities, holds, by_id, families)


def _groups(relations: Sequence[str], facts_per_relation: int) -> list[tuple[str, ...]]:
    """Return the sets of relations to assign to pairs, the large ones first because they are the hardest to place."""
    groups = [group for group in TOGETHER if all(relation in relations for relation in group)]
    groups += [(relation,) for relation in relations]
    groups.sort(key=len, reverse=True)
    return [group for group in groups for _ in range(math.ceil(_SHARE_OF_PAIRS[len(group)] * facts_per_relation))]


def _sample_pairs(
    groups: Iterable[tuple[str, ...]], entities: Mapping[str, Sequence[Entity]], chance: Chance
) -> dict[tuple[str, str], tuple[str, ...]]:
    holds: dict[tuple[str, str], tuple[str, ...]] = {}
    taken: set[tuple[str, str]] = set()
    for group in groups:
        head_type, tail_type = FAMILIES[BY_ID[group[0]].family]
        once = {(f"head {BY_ID[r].head_once}", f"tail {BY_ID[r].tail_once}") for r in group}
        for _ in range(1000):
            head, tail = chance.pick(entities[head_type]).id, chance.pick(entities[tail_type]).id
            if head_type == tail_type:
                # The lower number comes first: no person is a parent of an ancestor, and no pair occurs in both orders.
                head, tail = min(head, tail), max(head, tail)
            slots = {(word, head) for word, _ in once if word != "head "}
            slots |= {(word, tail) for _, word in once if word != "tail "}
            if head != tail and (head, tail) not in holds and not slots & taken:
                holds[head, tail] = group
                taken |= slots
                break
        else:
            raise WorkFailed(f"small_world: no pair of {head_type} and {tail_type} is left for {', '.join(group)}")
    return holds
