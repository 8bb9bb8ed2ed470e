"""Sentences for training, chosen so that a given share of their distant labels is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from protorel.corpora.small_world.chance import Chance
from protorel.corpora.small_world.facts import Realm
from protorel.corpora.small_world.phrasings import neutral_phrasings, phrasings
from protorel.corpora.small_world.relations import BY_ID
from protorel.corpora.small_world.text import Sentence, write_sentence

Pair = tuple[str, str]
Group = tuple[str, ...]
_TRIES = 30


class NoisySentences:
    """Writes sentences until every relation has its rows, and steers the share of wrong ones relation by relation.

    Wrong rows come about in the two ways in which they do with real text: a sentence says nothing about how its pair is
    related, or it expresses another one of the relations that its pair holds.
    """

    def __init__(
        self, realm: Realm, relations: Sequence[str], *, rows_per_relation: int, noise: float, chance: Chance
    ) -> None:
        self._realm, self._full, self._noise, self._chance = realm, rows_per_relation, noise, chance
        self._rows = dict.fromkeys(relations, 0)
        self._wrong = dict.fromkeys(relations, 0)
        self._pairs: dict[Group, list[Pair]] = {}
        for pair, group in realm.holds.items():
            self._pairs.setdefault(group, []).append(pair)
        self._groups = {r: [group for group in self._pairs if r in group] for r in relations}
        self._seen: set[str] = set()

    def write(self) -> list[Sentence]:
        """Return sentences that give each relation its rows."""
        sentences = []
        while min(self._rows.values()) < self._full:
            # The one that is furthest behind comes next.
            relation = min(self._rows, key=self._rows.__getitem__)
            group, says = self._wrong_for(relation) if self._wrong_is_due(relation) else self._true_for(relation)
            sentences.append(self._new_sentence(self._chance.pick(self._pairs[group]), says))
            for held in group:
                self._rows[held] += 1
                self._wrong[held] += held != says
        return sentences

    def _wrong_is_due(self, relation: str) -> bool:
        """Tell whether the relation's next row should be a wrong one."""
        return self._noise > 0 and self._wrong[relation] + 1 <= self._noise * (self._rows[relation] + 1) + 0.5

    def _takes(self, relation: str, *, wrong: bool) -> bool:
        """Tell whether a relation that is not next in turn can do with such a row."""
        return self._rows[relation] < self._full and self._wrong_is_due(relation) == wrong

    def _wrong_for(self, relation: str) -> tuple[Group, str | None]:
        """Choose what gives this relation a wrong row: relations that a pair holds, and what is said of the pair."""
        groups = self._groups[relation]
        crossed = [
            (group, says)
            for group in groups
            for says in group
            if says != relation and self._takes(says, wrong=False) and self._suits_the_rest(group, {relation, says})
        ]
        if crossed and self._chance.coin(0.6):
            return self._chance.pick(crossed)
        return self._chance.pick([group for group in groups if self._suits_the_rest(group, {relation})]), None

    def _true_for(self, relation: str) -> tuple[Group, str | None]:
        """Choose what gives this relation a true row."""
        fitting = [group for group in self._groups[relation] if self._suits_the_rest(group, {relation})]
        return self._chance.pick(fitting), relation

    def _suits_the_rest(self, group: Group, besides: set[str]) -> bool:
        """Tell whether all other relations of the group take a wrong row; a group of one has no others."""
        return all(held in besides or self._takes(held, wrong=True) for held in group)

    def _new_sentence(self, pair: Pair, says: str | None) -> Sentence:
        family = BY_ID[self._realm.holds[pair][0]].family
        templates = phrasings()[says].training if says else neutral_phrasings()[family]
        for _ in range(_TRIES):
            template = self._chance.pick(templates)
            sentence = write_sentence(self._realm, pair, template, says=says, chance=self._chance)
            if sentence.text not in self._seen:
                break
        self._seen.add(sentence.text)
        return sentence
