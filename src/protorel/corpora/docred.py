"""DocRED and Re-DocRED: one JSON list of documents, with facts about entities (Yao et al., 2019; Tan et al., 2022).

    [{"title": "Ada Kroll", "sents": [["Ada", "Kroll", "lived", "in", "Lunsk", "."], ...],
      "vertexSet": [[{"name": "Ada Kroll", "sent_id": 0, "pos": [0, 2], "type": "PER"}, ...], ...],
      "labels": [{"h": 0, "t": 1, "r": "P551", "evidence": [0]}, ...]}, ...]

A row is a fact. It becomes one statement where its two entities stand in one sentence: in the first sentence of its
evidence that holds both, else in the first sentence that does, and there by their first mentions. A fact that takes
two sentences or more is rejected. The positions alone decide, as a few names carry traces of how they were made; types
are those of the mentions. Ids are `FILE:DOCUMENT-FACT`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from protorel.corpora.json_files import field_in, whole_list
from protorel.corpora.json_values import a_list, a_range, a_text, a_whole_number, an_object, shown, texts, whole_numbers
from protorel.corpora.rejects import Reject, Row
from protorel.corpora.tokens import JoinedTokens
from protorel.statements import Statement, StatementError

_THEIR_NAMES = {"head": "h", "tail": "t", "text": "sents", "relation": "r"}


def read_docred(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each fact, and a reject for each document that cannot be read."""
    for number, value in enumerate(whole_list(path, "DocRED's list of documents")):
        try:
            document = _Document(value)
        except StatementError as problem:
            yield Reject(path.name, None, field_in(f"[{number}]", problem, {}), problem.reason, shown(value))
            continue
        for index, fact in enumerate(document.labels):
            try:
                yield document.statement(fact, f"{path.stem}:{number}-{index}")
            except StatementError as problem:
                field = field_in(f"[{number}].labels[{index}]", problem, _THEIR_NAMES)
                yield Reject(path.name, None, field, problem.reason, shown(fact))


_Mentions = dict[tuple[int, int], str | None]
"""The mentions of an entity in one sentence: the tokens [start, stop) of each, and its type."""


class _Document:
    """A document whose sentences and entities are read when a fact asks for them, so that a bad one hurts no other."""

    def __init__(self, value: object) -> None:
        given = an_object(value, "", ("title", "sents", "vertexSet", "labels"))
        self.title = a_text(given["title"], "title")
        self.labels = a_list(given["labels"], "labels", "a list of facts")
        self._sents = a_list(given["sents"], "sents", "a list of sentences")
        self._entities = a_list(given["vertexSet"], "vertexSet", "a list of entities, each a list of mentions,")
        self._joined: dict[int, JoinedTokens] = {}
        self._mentions: dict[int, dict[int, _Mentions]] = {}

    def statement(self, fact: object, id: str) -> Statement:
        given = an_object(fact, "", ("h", "t", "r"))
        heads, tails = self._entity(given["h"], "h"), self._entity(given["t"], "t")
        evidence = set(whole_numbers(given["evidence"], "evidence")) if given.get("evidence") is not None else ()
        sentence = min(heads.keys() & tails.keys(), key=lambda number: (number not in evidence, number), default=None)
        if sentence is None:
            raise StatementError("", "its two entities stand in no sentence together")
        joined = self._sentence(sentence)
        # Two entities may share a mention; it cannot stand for both.
        pairs = list(product(sorted(heads[sentence])[:2], sorted(tails[sentence])[:2]))
        head, tail = next((pair for pair in pairs if pair[0] != pair[1]), pairs[0])
        return Statement(
            joined.text,
            joined.span(*head, "h"),
            joined.span(*tail, "t"),
            a_text(given["r"], "r"),
            id,
            head_type=heads[sentence][head],
            tail_type=tails[sentence][tail],
            document=self.title,
            source="docred",
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
