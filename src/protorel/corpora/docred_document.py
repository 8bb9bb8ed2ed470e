"""One document of DocRED: its sentences, its entities, and facts about them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from protorel.corpora.json_values import a_list, a_range, a_text, a_whole_number, an_object, texts, whole_numbers
from protorel.corpora.tokens import JoinedTokens
from protorel.statements import Statement, StatementError

_Mentions = dict[tuple[int, int], str | None]
"""The mentions of an entity in one sentence: the tokens [start, stop) of each, and its type."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What is said of two entities, and where both are named."""

    relation: Any
    """As it stands in the file: it is read where it is used."""
    heads: dict[int, _Mentions]
    tails: dict[int, _Mentions]
    sentences: list[int]
    evidence: frozenset[int]
    """The sentences from which the fact can be told, where somebody said so."""


class Document:
    """A document whose sentences and entities are read when a fact asks for them, so that a bad one hurts no other."""

    def __init__(self, value: object) -> None:
        given = an_object(value, "", ("title", "sents", "vertexSet", "labels"))
        self.title = a_text(given["title"], "title")
        self.labels = a_list(given["labels"], "labels", "a list of facts")
        self._sents = a_list(given["sents"], "sents", "a list of sentences")
        self._entities = a_list(given["vertexSet"], "vertexSet", "a list of entities, each a list of mentions,")
        self._joined: dict[int, JoinedTokens] = {}
        self._mentions: dict[int, dict[int, _Mentions]] = {}

    def fact(self, value: object) -> Fact:
        """Find the sentences that hold both entities of a fact."""
        given = an_object(value, "", ("h", "t", "r"))
        heads, tails = self._entity(given["h"], "h"), self._entity(given["t"], "t")
        evidence = whole_numbers(given["evidence"], "evidence") if given.get("evidence") is not None else ()
        sentences = sorted(heads.keys() & tails.keys())
        if not sentences:
            raise StatementError("", "its two entities stand in no sentence together")
        return Fact(given["r"], heads, tails, sentences, frozenset(evidence))

    def statement(self, fact: Fact, sentence: int, id: str, *, expresses: bool | None = None) -> Statement:
        """Return a fact as it stands in one of its sentences, there by the first mentions of its entities."""
        heads, tails = fact.heads[sentence], fact.tails[sentence]
        joined = self._sentence(sentence)
        # Two entities may share a mention; it cannot stand for both.
        pairs = list(product(sorted(heads)[:2], sorted(tails)[:2]))
        head, tail = next((pair for pair in pairs if pair[0] != pair[1]), pairs[0])
        return Statement(
            joined.text,
            joined.span(*head, "h"),
            joined.span(*tail, "t"),
            a_text(fact.relation, "r"),
            id,
            head_type=heads[head],
            tail_type=tails[tail],
            document=self.title,
            source="docred",
            expresses=expresses,
        )

    def _entity(self, value: object, field: str) -> dict[int, _Mentions]:
        """Return the mentions of an entity by the sentence they stand in."""
        index = a_whole_number(value, field)
        if not 0 <= index < len(self._entities):
            raise StatementError(field, f"is entity {index}, the document has {len(self._entities)}")
        if index not in self._mentions:
            try:
                self._mentions[index] = self._read_mentions(index)
            except StatementError as problem:
                raise StatementError(field, f"{problem.field} {problem.reason}") from problem
        return self._mentions[index]

    def _read_mentions(self, index: int) -> dict[int, _Mentions]:
        place = f"vertexSet[{index}]"
        by_sentence: dict[int, _Mentions] = {}
        for i, value in enumerate(a_list(self._entities[index], place, "a list of mentions")):
            given = an_object(value, f"{place}[{i}]", ("sent_id", "pos"))
            sentence = a_whole_number(given["sent_id"], f"{place}[{i}].sent_id")
            if not 0 <= sentence < len(self._sents):
                reason = f"is sentence {sentence}, the document has {len(self._sents)}"
                raise StatementError(f"{place}[{i}].sent_id", reason)
            type = a_text(given["type"], f"{place}[{i}].type") if given.get("type") is not None else None
            by_sentence.setdefault(sentence, {}).setdefault(a_range(given["pos"], f"{place}[{i}].pos"), type)
        return by_sentence

    def _sentence(self, number: int) -> JoinedTokens:
        if number not in self._joined:
            try:
                self._joined[number] = JoinedTokens(texts(self._sents[number], f"sents[{number}]"))
            except StatementError as problem:
                raise StatementError("", f"{problem.field} {problem.reason}") from problem
        return self._joined[number]
