"""The small world: noisy training statements with known truth, and two clean test sets."""

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
from protorel.io import check_count, check_type, write_text
from protorel.statements import BadInput, RelationVocabulary, Statement

MOST_NOISE = 0.8
"""The highest share of wrong labels: beyond it, hardly any sentence expresses a relation."""

# Few sentences per pair, so that its names do not give the relation away. Fewer in the test sets: one of them has only
# four phrasings per relation, and no sentence should occur twice.
_TRAINING_ROWS_PER_FACT = 3
_TEST_ROWS_PER_FACT = 1.5
_FEWEST_FACTS = 8


@dataclass(frozen=True, slots=True)
class SmallWorldSettings:
    """The size and the noise of a small world.

    Raises:
        BadInput: a setting has the wrong type or is out of range.

    >>> SmallWorldSettings(noise=0.2).statements_per_relation
    120
    """

    seed: int = 0
    """The random seed."""
    noise: float = 0.4
    """The share of training rows whose label is wrong, from 0 to 0.8."""
    statements_per_relation: int = 120
    """Training statements per relation."""
    held_out_per_relation: int = 60
    """Test statements per relation, in both test sets."""

    def __post_init__(self) -> None:
        check_type(self.seed, int, where="small_world: seed", expected="a whole number")
        check_type(self.noise, (int, float), where="small_world: noise", expected=f"a share from 0 to {MOST_NOISE}")
        if not 0 <= self.noise <= MOST_NOISE:
            raise BadInput(f"small_world: noise: expected a share from 0 to {MOST_NOISE}, got {self.noise}")
        for name in ("statements_per_relation", "held_out_per_relation"):
            check_count(getattr(self, name), where=f"small_world: {name}")


@dataclass(frozen=True, slots=True)
class SmallWorld:
    """An invented world, the text about it, and the statements that distant supervision makes from both."""

    settings: SmallWorldSettings
    relations: RelationVocabulary
    """All relations, trained and held out."""
    train_relations: tuple[str, ...]
    held_out_relations: tuple[str, ...]
    train: tuple[Statement, ...]
    """Distantly labelled; `expresses` tells for every row whether its label is right."""
    test_relations: tuple[Statement, ...]
    """Clean statements of the held-out relations, in all phrasings."""
    test_phrasings: tuple[Statement, ...]
    """Clean statements of the training relations, in phrasings that do not occur in training."""
    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    documents: tuple[Document, ...]
    """The text of the training statements."""


def build_small_world(settings: SmallWorldSettings = SmallWorldSettings()) -> SmallWorld:  # noqa: B008 (it is frozen)
    """Build a small world; equal settings give equal worlds, on every machine.

    Args:
        settings: Size, noise and seed.

    Returns:
        Training statements, two test sets, and the facts, entities and documents behind them.

    Raises:
        WorkFailed: the world is so large that it runs out of names or pairs.

    >>> world = build_small_world(SmallWorldSettings(statements_per_relation=10, held_out_per_relation=5))
    >>> len(world.train_relations), len(world.train), world.train[0].expresses
    (22, 220, True)
    """
    check_type(settings, SmallWorldSettings, where="settings", expected="SmallWorldSettings")
    names = Names(_chance(settings, "names"))
    # Each set of statements has its own realm, so that no test entity occurs in training. The test sets come first:
    # they do not depend on the size and the noise of the training set.
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
    """Return true statements only; pairs and phrasings take turns, so that each is used about equally often."""
    chance = _chance(settings, name)
    sentences: list[Sentence] = []
    for relation, wordings in templates.items():
        pairs = chance.shuffled([pair for pair, held in realm.holds.items() if relation in held])
        for turn in range(settings.held_out_per_relation):
            # One step further after each round of pairs: no pair gets a phrasing twice before it has had all of them.
            rounds, place = divmod(turn, len(pairs))
            wording = wordings[(place + rounds) % len(wordings)]
            sentences.append(write_sentence(realm, pairs[place], wording, says=relation, chance=chance))
    return tuple(clean(chance.shuffled(sentences), realm, name=name))


def _chance(settings: SmallWorldSettings, purpose: str) -> Chance:
    return Chance(f"small world {settings.seed}: {purpose}")


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
