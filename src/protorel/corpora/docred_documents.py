"""DocRED and Re-DocRED as whole documents: raw text, the mentions of each entity, and the facts between entities.

The tokens of a sentence are joined by one space each, and so are the sentences: what a reader of raw text would get.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, product
from pathlib import Path

from protorel.corpora.docred import Document
from protorel.corpora.json_input import a_text, whole_list
from protorel.io import BadInput
from protorel.statements import Span, StatementError


@dataclass(frozen=True, slots=True, order=True)
class AnnotatedMention:
    """Where a document names an entity."""

    span: Span
    sentence: int
    type: str | None = None


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """A text with its entities and facts."""

    name: str
    text: str
    sentences: tuple[Span, ...]
    entities: tuple[tuple[AnnotatedMention, ...], ...]
    """The mentions of each entity, in the order of the text."""
    facts: frozenset[tuple[int, int, str]]
    """Head, tail and relation; entities are numbers in `entities`."""

    def in_one_sentence(self, head: int, tail: int) -> bool:
        """Tell whether a sentence mentions both entities, each in a place of its own."""
        both = product(self.entities[head], self.entities[tail])
        return any(one.sentence == other.sentence and one.span != other.span for one, other in both)


def read_docred_documents(path: Path, *, most: int | None = None) -> Iterator[AnnotatedDocument]:
    """Yield the documents of a DocRED file.

    Args:
        path: The JSON list of documents.
        most: Read only this many, the first ones.

    Raises:
        BadInput: a document cannot be read; the error names it.
    """
    for number, value in enumerate(whole_list(path, "DocRED's list of documents")[:most]):
        try:
            yield _document(Document(value))
        except StatementError as problem:
            place = f"[{number}].{problem.field}" if problem.field else f"[{number}]"
            raise BadInput(f"{path}, {place}: {problem.reason}") from problem


def _document(document: Document) -> AnnotatedDocument:
    joined = [document.sentence(number) for number in range(len(document.sents))]
    starts = [0, *accumulate(len(one.text) + 1 for one in joined)]
    entities = []
    for index in range(len(document.entities)):
        own = set()
        for sentence, mentions in document.entity(index, "").items():
            for tokens, type in mentions.items():
                span = joined[sentence].span(*tokens, f"vertexSet[{index}]")
                own.add(
                    AnnotatedMention(Span(starts[sentence] + span.start, starts[sentence] + span.stop), sentence, type)
                )
        entities.append(tuple(sorted(own, key=lambda one: one.span)))
    facts = set()
    for number, value in enumerate(document.labels):
        try:
            fact = document.fact(value)
            relation = a_text(fact.relation, "r")
        except StatementError as problem:
            raise StatementError(f"labels[{number}].{problem.field}", problem.reason) from problem
        if fact.head != fact.tail:
            facts.add((fact.head, fact.tail, relation))
    return AnnotatedDocument(
        document.title,
        " ".join(one.text for one in joined),
        tuple(Span(start, start + len(one.text)) for start, one in zip(starts, joined, strict=False)),
        tuple(entities),
        frozenset(facts),
    )
