"""Sentences about pairs of entities, often with a clause about another entity, and the documents made from them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from protorel.corpora.small_world.chance import Chance
from protorel.corpora.small_world.facts import Entity, Fact, Realm
from protorel.corpora.small_world.phrasings import Aside, asides
from protorel.corpora.small_world.relations import BY_ID
from protorel.statements import Span

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
# A clause may be inserted after the first entity if a verb follows it.
_VERBS = "is|was|has|had|are|have|lives|works|took|began|came|owes|wrote|spent|keeps"
_ROOM_INSIDE = re.compile(rf"^(?:The )?\{{(head|tail)\}}(?= (?:{_VERBS}) )")
_OF_A_MAN = {"she": "he", "her": "his", "him": "him", "mother": "father", "wife": "husband", "sister": "brother"}
_SHARE_WITH_ASIDE = 0.55
_TRIES = 20


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text, its mentions of entities, and the pair that it is about."""

    text: str
    mentions: tuple[tuple[str, Span], ...]
    pair: tuple[str, str]
    says: str | None
    """The relation that the text expresses between the pair, if any."""
    claim: Fact | None = None
    """What a clause says about two other entities; no fact of the world."""

    @property
    def expressed(self) -> tuple[Fact, ...]:
        """Everything that the text says: about the pair, and in a clause."""
        said = () if self.says is None else (Fact(self.pair[0], self.says, self.pair[1]),)
        return said if self.claim is None else (*said, self.claim)


@dataclass(frozen=True, slots=True)
class Document:
    """Several sentences, joined by a space, with their spans."""

    id: str
    text: str
    sentences: tuple[Span, ...]
    expressed: tuple[tuple[Fact, ...], ...]
    """What each sentence says: the relation of its pair, and what a clause claims of two other entities."""


def write_sentence(realm: Realm, pair: tuple[str, str], template: str, *, says: str | None, chance: Chance) -> Sentence:
    """Fill a template with the names of a pair; in about half of all cases, add a clause about another entity."""
    cast = {"head": realm.by_id[pair[0]], "tail": realm.by_id[pair[1]]}
    claim = None
    if chance.coin(_SHARE_WITH_ASIDE):
        family = BY_ID[realm.holds[pair][0]].family
        template, claimed = _with_aside(realm, template, cast, family, chance)
        claim = Fact(cast["third"].id, claimed, cast["fourth"].id) if claimed else None
    text, spans = _fill(template, cast)
    return Sentence(text, tuple((cast[role].id, span) for role, span in spans), pair, says, claim)


def gather(sentences: Sequence[Sentence], chance: Chance) -> tuple[Document, ...]:
    """Group sentences, in order, into documents of three to eight sentences."""
    documents: list[Document] = []
    start = 0
    while start < len(sentences):
        part = sentences[start : start + chance.between(3, 8)]
        spans: list[Span] = []
        for sentence in part:
            begin = spans[-1].stop + 1 if spans else 0
            spans.append(Span(begin, begin + len(sentence.text)))
        text = " ".join(sentence.text for sentence in part)
        said = tuple(sentence.expressed for sentence in part)
        documents.append(Document(f"doc-{len(documents):05d}", text, tuple(spans), said))
        start += len(part)
    return tuple(documents)


def _with_aside(
    realm: Realm, template: str, cast: dict[str, Entity], family: str, chance: Chance
) -> tuple[str, str | None]:
    """Return the template with a clause, whose entities are added to `cast`, and the relation that the clause claims.

    The template is unchanged if no entity fits.
    """
    inside = _ROOM_INSIDE.match(template)
    if inside and chance.coin(0.4):
        aside = chance.pick(asides().inside[cast[inside[1]].type])
        wording, claim = _casting(realm, aside, cast, family, chance)
        written = f"{template[: inside.end()]}, {wording},{template[inside.end() :]}"
    elif chance.coin(0.5):
        wording, claim = _casting(realm, chance.pick(asides().before), cast, family, chance)
        written = f"{wording} {_lower_first(template)}"
    else:
        wording, claim = _casting(realm, chance.pick(asides().after), cast, family, chance)
        written = f"{template.removesuffix('.')}, {wording}."
    return (written if wording else template), claim


def _casting(
    realm: Realm, aside: Aside, cast: dict[str, Entity], family: str, chance: Chance
) -> tuple[str | None, str | None]:
    """Choose the third entity of a clause, and a fourth if it makes a claim; return its wording, or None, and claim."""
    claims = [r for r in asides().claims if BY_ID[r].head_type == aside.third_type]
    # A claim of the same family is a harder test: only the markers say which pair the label is about.
    near = [r for r in claims if BY_ID[r].family == family]
    claim = BY_ID[chance.pick(near if near and chance.coin(0.5) else claims)] if claims else None
    for _ in range(_TRIES):
        chosen = {"third": chance.pick(realm.entities[aside.third_type])}
        if "{claim}" in aside.wording and claim:
            if (chosen["third"].id, claim.family) in realm.families:
                # The claim could contradict a fact.
                continue
            chosen["fourth"] = chance.pick(realm.entities[claim.tail_type])
        if _strangers(realm, [*cast.values()], [*chosen.values()]):
            cast.update(chosen)
            wording = aside.wording.replace("{claim}", chance.pick(asides().claims[claim.id]) if claim else "")
            return wording, claim.id if claim and "fourth" in chosen else None
    return None, None


def _strangers(realm: Realm, present: list[Entity], chosen: list[Entity]) -> bool:
    """Tell whether the chosen entities are new and have no fact with those present: a sentence is about one pair."""
    for entity in chosen:
        if any(entity.id == other.id or realm.knows(entity.id, other.id) for other in present):
            return False
        present = [*present, entity]
    return True


def _lower_first(template: str) -> str:
    return template if template.startswith("{") else template[0].lower() + template[1:]


def _fill(template: str, cast: dict[str, Entity]) -> tuple[str, list[tuple[str, Span]]]:
    """Insert names and pronouns into a template; return the text and the span of each entity."""
    text = ""
    spans = []
    done = 0
    for found in _PLACEHOLDER.finditer(template):
        text += template[done : found.start()]
        done = found.end()
        role = found[1]
        if role in cast:
            spans.append((role, Span(len(text), len(text) + len(cast[role].name))))
            text += cast[role].name
        else:
            text += _pronoun(role, is_woman=cast["head"].is_woman)
    return text + template[done:], spans


def _pronoun(word: str, *, is_woman: bool) -> str:
    if not is_woman:
        return _OF_A_MAN[word]
    return "her" if word == "him" else word
