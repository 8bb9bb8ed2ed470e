"""Distant labels: training sentences with a given share of wrong labels, and the statements made from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from protorel.corpora.small_world.chance import Chance
from protorel.corpora.small_world.facts import Entity, Realm
from protorel.corpora.small_world.phrasings import neutral_phrasings, phrasings
from protorel.corpora.small_world.relations import BY_ID
from protorel.corpora.small_world.text import Document, Sentence, write_sentence
from protorel.statements import Span, Statement

SOURCE = "small_world"
"""The `source` of every statement of the small world."""
Pair = tuple[str, str]
Group = tuple[str, ...]
_TRIES = 30


class NoisySentences:
    """Writes sentences until every relation has its rows, with the given share of wrong ones in each relation.

    Labels are wrong for the two reasons that they are in real text: a sentence does not say how its pair is related,
    or it expresses another relation of the pair.
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
            # Next comes the relation with the fewest rows.
            relation = min(self._rows, key=self._rows.__getitem__)
            group, says = self._wrong_for(relation) if self._wrong_is_due(relation) else self._true_for(relation)
            sentences.append(self._new_sentence(self._chance.pick(self._pairs[group]), says))
            for held in group:
                self._rows[held] += 1
                self._wrong[held] += held != says
        return sentences

    def _wrong_is_due(self, relation: str) -> bool:
        """Tell whether the relation's next row should be wrong."""
        return self._noise > 0 and self._wrong[relation] + 1 <= self._noise * (self._rows[relation] + 1) + 0.5

    def _takes(self, relation: str, *, wrong: bool) -> bool:
        """Tell whether a relation can take one more row of this kind, true or wrong."""
        return self._rows[relation] < self._full and self._wrong_is_due(relation) == wrong

    def _wrong_for(self, relation: str) -> tuple[Group, str | None]:
        """Choose a wrong row for this relation: the relations of a pair, and the one that the sentence expresses."""
        groups = self._groups[relation]
        crossed = [
            (group, says)
            for group in groups
            for says in group
            if says != relation and self._takes(says, wrong=False) and self._others_take_it(group, {relation, says})
        ]
        if crossed and self._chance.coin(0.6):
            return self._chance.pick(crossed)
        return self._chance.pick([group for group in groups if self._others_take_it(group, {relation})]), None

    def _true_for(self, relation: str) -> tuple[Group, str | None]:
        """Choose a true row for this relation."""
        fitting = [group for group in self._groups[relation] if self._others_take_it(group, {relation})]
        return self._chance.pick(fitting), relation

    def _others_take_it(self, group: Group, chosen: set[str]) -> bool:
        """Tell whether all other relations of the group can take a wrong row."""
        return all(held in chosen or self._takes(held, wrong=True) for held in group)

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


def align(sentences: Iterable[Sentence], documents: Sequence[Document], realm: Realm) -> Iterator[Statement]:
    """Yield a row for each fact whose two entities a sentence names; the documents hold the sentences in order."""
    homes = (document.id for document in documents for _ in document.sentences)
    for number, (sentence, document) in enumerate(zip(sentences, homes, strict=True)):
        for (head, head_span), (tail, tail_span) in permutations(sentence.mentions, 2):
            for relation in realm.holds.get((head, tail), ()):
                yield _statement(
                    f"sw-{number:06d}",
                    sentence.text,
                    (realm.by_id[head], head_span),
                    (realm.by_id[tail], tail_span),
                    relation=relation,
                    document=document,
                    expresses=(head, tail) == sentence.pair and relation == sentence.says,
                )


def clean(sentences: Iterable[Sentence], realm: Realm, *, name: str) -> Iterator[Statement]:
    """Yield one row per sentence, labelled with the relation that it expresses; ids start with `name`."""
    for number, sentence in enumerate(sentences):
        spans = dict(sentence.mentions)
        head, tail = ((realm.by_id[entity], spans[entity]) for entity in sentence.pair)
        yield _statement(
            f"{name}-{number:06d}", sentence.text, head, tail, relation=sentence.says, document=None, expresses=True
        )


def _statement(
    name: str,
    text: str,
    head: tuple[Entity, Span],
    tail: tuple[Entity, Span],
    *,
    relation: str | None,
    document: str | None,
    expresses: bool,
) -> Statement:
    """Return one row; the rows of a sentence differ only in the relation and the end of the id."""
    return Statement(
        text=text,
        head=head[1],
        tail=tail[1],
        relation=relation,
        id=f"{name}:{relation}",
        head_id=head[0].id,
        tail_id=tail[0].id,
        head_type=head[0].type,
        tail_type=tail[0].type,
        document=document,
        source=SOURCE,
        expresses=expresses,
    )
