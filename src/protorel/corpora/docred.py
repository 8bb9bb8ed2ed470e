"""DocRED and Re-DocRED: one JSON list of documents, with facts about entities (Yao et al., 2019; Tan et al., 2022).

    [{"title": "Ada Kroll", "sents": [["Ada", "Kroll", "lived", "in", "Lunsk", "."], ...],
      "vertexSet": [[{"name": "Ada Kroll", "sent_id": 0, "pos": [0, 2], "type": "PER"}, ...], ...],
      "labels": [{"h": 0, "t": 1, "r": "P551", "evidence": [0]}, ...]}, ...]

A row is a fact. `docred` makes one statement of a fact whose entities are mentioned in one sentence: the first sentence
of its evidence with both, else the first sentence with both; of several mentions the first is marked. A fact that takes
two sentences or more is rejected.

`docred_evidence` makes one statement per sentence that mentions both entities; a sentence of the evidence expresses the
fact, the others do not. A fact without evidence is rejected.

Mentions are found by their positions, because a few names carry traces of preprocessing; types are those of the
mentions. Ids are `FILE:DOCUMENT-FACT`, and for evidence `FILE:DOCUMENT-FACT-SENTENCE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from protorel.corpora.json_input import (
    a_list,
    a_range,
    a_text,
    a_whole_number,
    an_object,
    field_in,
    shown,
    texts,
    whole_list,
    whole_numbers,
)
from protorel.corpora.rows import Reject, Row
from protorel.corpora.tokens import JoinedTokens
from protorel.statements import Statement, StatementError

THEIR_NAMES = {"head": "h", "tail": "t", "text": "sents", "relation": "r"}
_Mentions = dict[tuple[int, int], str | None]
"""The mentions of an entity in one sentence: the tokens [start, stop) of each, and its type."""


def read_docred(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each fact, and a reject for each document that cannot be read."""
    return _read(path, _best_sentence)


def read_docred_evidence(path: Path) -> Iterator[Row]:
    """Yield the statements of each fact, with `expresses` set by its evidence, or a reject."""
    return _read(path, _every_sentence)


def _read(path: Path, statements: Callable[[Document, object, str], Iterator[Statement]]) -> Iterator[Row]:
    for number, value in enumerate(whole_list(path, "DocRED's list of documents")):
        try:
            document = Document(value)
        except StatementError as problem:
            yield Reject(path.name, None, field_in(f"[{number}]", problem, {}), problem.reason, shown(value))
            continue
        for index, fact in enumerate(document.labels):
            try:
                yield from statements(document, fact, f"{path.stem}:{number}-{index}")
            except StatementError as problem:
                field = field_in(f"[{number}].labels[{index}]", problem, THEIR_NAMES)
                yield Reject(path.name, None, field, problem.reason, shown(fact))


def _best_sentence(document: Document, value: object, id: str) -> Iterator[Statement]:
    fact = document.told_fact(value)
    best = min(fact.sentences, key=lambda number: (number not in fact.evidence, number))
    yield document.statement(fact, best, id)


def _every_sentence(document: Document, value: object, id: str) -> Iterator[Statement]:
    fact = document.told_fact(value)
    if not fact.evidence:
        raise StatementError("", "expected evidence that names the sentences expressing the fact, got none")
    # A list: a fact with one bad sentence is rejected before any of its statements is yielded.
    yield from [
        document.statement(fact, number, f"{id}-{number}", expresses=number in fact.evidence)
        for number in fact.sentences
    ]


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation between two entities, and the sentences that mention both."""

    relation: Any
    """As in the file; it is checked when it is used."""
    head: int
    tail: int
    heads: dict[int, _Mentions]
    """The mentions of the head by sentence."""
    tails: dict[int, _Mentions]
    evidence: frozenset[int] = frozenset()
    """The sentences that express the fact, if annotated."""

    @property
    def sentences(self) -> list[int]:
        """The sentences that mention both entities."""
        return sorted(self.heads.keys() & self.tails.keys())


class Document:
    """A document whose sentences and entities are read when a fact needs them: a bad one rejects only its facts."""

    def __init__(self, value: object) -> None:
        given = an_object(value, "", ("title", "sents", "vertexSet", "labels"))
        self.title = a_text(given["title"], "title")
        self.labels = a_list(given["labels"], "labels", "a list of facts")
        self.sents = a_list(given["sents"], "sents", "a list of sentences")
        self.entities = a_list(given["vertexSet"], "vertexSet", "a list of entities, each a list of mentions")
        self._joined: dict[int, JoinedTokens] = {}
        self._mentions: dict[int, dict[int, _Mentions]] = {}

    def fact(self, value: object) -> Fact:
        """Return a fact with the mentions of its two entities."""
        given = an_object(value, "", ("h", "t", "r"))
        heads, tails = self.entity(given["h"], "h"), self.entity(given["t"], "t")
        evidence = whole_numbers(given["evidence"], "evidence") if given.get("evidence") is not None else ()
        return Fact(given["r"], given["h"], given["t"], heads, tails, frozenset(evidence))

    def told_fact(self, value: object) -> Fact:
        """Return a fact whose entities are mentioned in one sentence."""
        fact = self.fact(value)
        if not fact.sentences:
            raise StatementError("", "expected a sentence with both entities, got none")
        return fact

    def statement(self, fact: Fact, sentence: int, id: str, *, expresses: bool | None = None) -> Statement:
        """Return the statement of a fact in one of its sentences, with the first mentions of its entities marked."""
        heads, tails = fact.heads[sentence], fact.tails[sentence]
        joined = self.sentence(sentence)
        # Two entities may share a mention, which cannot be both head and tail.
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

    def entity(self, value: object, field: str) -> dict[int, _Mentions]:
        """Return the mentions of an entity, by sentence."""
        index = a_whole_number(value, field)
        if not 0 <= index < len(self.entities):
            raise StatementError(field, f"expected an entity below {len(self.entities)}, got {index}")
        if index not in self._mentions:
            try:
                self._mentions[index] = self._read_mentions(index)
            except StatementError as problem:
                raise StatementError(field, f"{problem.field}: {problem.reason}") from problem
        return self._mentions[index]

    def _read_mentions(self, index: int) -> dict[int, _Mentions]:
        place = f"vertexSet[{index}]"
        by_sentence: dict[int, _Mentions] = {}
        for i, value in enumerate(a_list(self.entities[index], place, "a list of mentions")):
            given = an_object(value, f"{place}[{i}]", ("sent_id", "pos"))
            sentence = a_whole_number(given["sent_id"], f"{place}[{i}].sent_id")
            if not 0 <= sentence < len(self.sents):
                reason = f"expected a sentence below {len(self.sents)}, got {sentence}"
                raise StatementError(f"{place}[{i}].sent_id", reason)
            type = a_text(given["type"], f"{place}[{i}].type") if given.get("type") is not None else None
            by_sentence.setdefault(sentence, {}).setdefault(a_range(given["pos"], f"{place}[{i}].pos"), type)
        return by_sentence

    def sentence(self, number: int) -> JoinedTokens:
        """Return the joined tokens of a sentence."""
        if number not in self._joined:
            try:
                self._joined[number] = JoinedTokens(texts(self.sents[number], f"sents[{number}]"))
            except StatementError as problem:
                raise StatementError("", f"{problem.field}: {problem.reason}") from problem
        return self._joined[number]
