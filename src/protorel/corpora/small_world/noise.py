"""Sentences for training, chosen so that a given share of their distant labels is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from protorel.corpora.small_world.chance import Chance
from protorel.corpora.small_world.facts import Realm
from protorel.corpora.small_world.phrasings import neutral_phrasings, phrasings
from protorel.corpora.small_world.relations import BY_ID
from protorel.corpora.small_world.text import Sentence, write_sentence

Pair = tuple[str, str]
_TRIES = 30


class NoisySentences:
    """Writes sentences until every relation has its rows, and steers the share of wrong ones relation by relation.

    Wrong rows come about in the two ways in which they do with real text: a sentence says nothing about how its pair is
    related, or it expresses another one of the relations that its pair holds.
    """

    def __init__(self, realm: Realm, relations: Sequence[str], *, noise: float, chance: Chance) -> None:
        self._realm, self._noise, self._chance = realm, noise, chance
        self._rows = dict.fromkeys(relations, 0)
        self._wrong = dict.fromkeys(relations, 0)
        self._pairs: dict[str, list[Pair]] = {relation: [] for relation in relations}
        for pair, held in realm.holds.items():
            for relation in held:
                self._pairs[relation].append(pair)
        self._seen: set[str] = set()

    def write(self, rows_per_relation: int) -> list[Sentence]:
        """Return sentences that give each relation that many rows, or one or two more."""
        sentences = []
        while min(self._rows.values()) < rows_per_relation:
            # The one that is furthest behind comes next.
            relation = min(self._rows, key=self._rows.__getitem__)
            pair, says = self._wrong_for(relation) if self._due(relation) else self._true_for(relation)
            sentences.append(self._new_sentence(pair, says))
            for held in self._realm.holds[pair]:
                self._rows[held] += 1
                self._wrong[held] += held != says
        return sentences

    def _due(self, relation: str) -> bool:
        """Tell whether the relation's next row should be a wrong one."""
        return self._wrong[relation] + 1 <= self._noise * (self._rows[relation] + 1) + 0.5 and self._noise > 0

    def _wrong_for(self, relation: str) -> tuple[Pair, str | None]:
        """Choose a sentence that gives this relation a wrong row and suits the other relations of its pair."""
        crossed = [
            (pair, says)
            for pair in self._pairs[relation]
            for says in self._realm.holds[pair]
            if says != relation and not self._due(says) and self._others_due(pair, {relation, says})
        ]
        if crossed and self._chance.coin(0.6):
            return self._chance.pick(crossed)
        return self._chance.pick([p for p in self._pairs[relation] if self._others_due(p, {relation})]), None

    def _true_for(self, relation: str) -> tuple[Pair, str | None]:
        """Choose a sentence that gives this relation a true row and suits the other relations of its pair."""
        fitting = [pair for pair in self._pairs[relation] if self._others_due(pair, {relation})]
        return self._chance.pick(fitting), relation

    def _others_due(self, pair: Pair, besides: set[str]) -> bool:
        return all(held in besides or self._due(held) for held in self._realm.holds[pair])

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
