"""The small world as a whole: noisy training statements with known truth, and two clean test sets."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from protorel.corpora.small_world.chance import Chance
from protorel.corpora.small_world.distant_labels import NoisySentences, align, clean
from protorel.corpora.small_world.facts import Entity, Fact, Realm, make_realm
from protorel.corpora.small_world.names import Names
from protorel.corpora.small_world.phrasings import phrasings
from protorel.corpora.small_world.relations import HELD_OUT, TRAINED, vocabulary
from protorel.corpora.small_world.text import Document, Sentence, gather, write_sentence
from protorel.io import write_text
from protorel.statements import BadInput, RelationVocabulary, Statement

MOST_NOISE = 0.8
"""Beyond this share of wrong labels there is hardly a sentence left that expresses anything."""

# Few enough sentences about one pair that its names are no substitute for reading. Fewer in the tests, one of which has
# only four phrasings for each relation and shall not write the same sentence twice.
_TRAINING_ROWS_PER_FACT = 3
_TEST_ROWS_PER_FACT = 1.5
_FEWEST_FACTS = 8


@dataclass(frozen=True, slots=True)
class SmallWorldSettings:
    """How large and how noisy the world shall be."""

    seed: int = 0
    noise: float = 0.4
    """The share of training rows whose label is wrong, from 0 to 0.8."""
    statements_per_relation: int = 120
    """Training rows for each of the trained relations."""
    held_out_per_relation: int = 60
    """Test statements for each relation, in both test sets."""

    def __post_init__(self) -> None:
        if not 0 <= self.noise <= MOST_NOISE:
            raise BadInput(f"small_world: noise: expected a share from 0 to {MOST_NOISE}, got {self.noise}")
        for name in ("statements_per_relation", "held_out_per_relation"):
            if getattr(self, name) < 1:
                raise BadInput(f"small_world: {name}: expected 1 or more, got {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class SmallWorld:
    """A made-up world, the text about it, and the statements that distant supervision makes of both."""

    settings: SmallWorldSettings
    relations: RelationVocabulary
    """All relations, trained and held out."""
    train_relations: tuple[str, ...]
    held_out_relations: tuple[str, ...]
    train: tuple[Statement, ...]
    """Distant and noisy; `expresses` is known for every row."""
    test_relations: tuple[Statement, ...]
    """Clean statements of the held-out relations, in all phrasings."""
    test_phrasings: tuple[Statement, ...]
    """Clean statements of the trained relations, in phrasings that training never shows."""
    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    documents: tuple[Document, ...]
    """The text that the training statements come from."""


def build_small_world(settings: SmallWorldSettings = SmallWorldSettings()) -> SmallWorld:  # noqa: B008 (it is frozen)
    """Make the world that the settings describe; equal settings give equal worlds, on every machine."""
    names = Names(_chance(settings, "names"))
    # Each set of statements has a realm of its own, so that no test entity is ever seen in training. The tests come
    # first: they are the same whatever the size and the noise of the training set.
    test_facts = settings.held_out_per_relation / _TEST_ROWS_PER_FACT
    held_out = _realm(settings, HELD_OUT, test_facts, names=names, first=1)
    first = 1 + len(held_out.by_id)
    rephrased = _realm(settings, TRAINED, test_facts, names=names, first=first)
    first += len(rephrased.by_id)
    training_facts = settings.statements_per_relation / _TRAINING_ROWS_PER_FACT
    training = _realm(settings, TRAINED, training_facts, names=names, first=first)

    chance = _chance(settings, "training text")
    rows = settings.statements_per_relation
    writer = NoisySentences(training, TRAINED, rows_per_relation=rows, noise=settings.noise, chance=chance)
    sentences = chance.shuffled(writer.write())
    documents = gather(sentences, chance)
    realms = (training, held_out, rephrased)
    return SmallWorld(
        settings=settings,
        relations=vocabulary(),
        train_relations=TRAINED,
        held_out_relations=HELD_OUT,
        train=tuple(align(sentences, documents, training)),
        test_relations=_test_set(settings, held_out, {r: phrasings()[r].all for r in HELD_OUT}, name="sw-relations"),
        test_phrasings=_test_set(
            settings, rephrased, {r: phrasings()[r].held_out for r in TRAINED}, name="sw-phrasings"
        ),
        facts=tuple(fact for realm in realms for fact in realm.facts),
        entities=tuple(entity for realm in realms for entity in realm.by_id.values()),
        documents=documents,
    )


def write_raw(world: SmallWorld, folder: Path) -> None:
    """Write `documents.jsonl` (id, text), `facts.tsv` (head, relation, tail) and `aliases.tsv` (entity, name, type)."""
    documents = ({"id": document.id, "text": document.text} for document in world.documents)
    write_text(folder / "documents.jsonl", _lines(json.dumps(document, ensure_ascii=False) for document in documents))
    write_text(folder / "facts.tsv", _lines(f"{fact.head}\t{fact.relation}\t{fact.tail}" for fact in world.facts))
    write_text(folder / "aliases.tsv", _lines(f"{e.id}\t{e.name}\t{e.type}" for e in world.entities))


def _realm(settings: SmallWorldSettings, relations: Sequence[str], facts: float, *, names: Names, first: int) -> Realm:
    chance = _chance(settings, f"realm from {first}")
    facts_per_relation = max(_FEWEST_FACTS, math.ceil(facts))
    return make_realm(relations, facts_per_relation=facts_per_relation, names=names, first=first, chance=chance)


def _test_set(
    settings: SmallWorldSettings, realm: Realm, templates: dict[str, tuple[str, ...]], *, name: str
) -> tuple[Statement, ...]:
    """Write true sentences only, taking pairs and phrasings in turn, so that each is used about equally often."""
    chance = _chance(settings, name)
    sentences: list[Sentence] = []
    for relation, wordings in templates.items():
        pairs = chance.shuffled([pair for pair, held in realm.holds.items() if relation in held])
        for turn in range(settings.held_out_per_relation):
            # A step on after each round of pairs: no pair meets a phrasing twice before it has met them all.
            rounds, place = divmod(turn, len(pairs))
            wording = wordings[(place + rounds) % len(wordings)]
            sentences.append(write_sentence(realm, pairs[place], wording, says=relation, chance=chance))
    return tuple(clean(chance.shuffled(sentences), realm, name=name))


def _chance(settings: SmallWorldSettings, purpose: str) -> Chance:
    return Chance(f"small world {settings.seed}: {purpose}")


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
