"""DocRED and Re-DocRED: one JSON list of documents, with facts about entities (Yao et al., 2019; Tan et al., 2022).

    [{"title": "Ada Kroll", "sents": [["Ada", "Kroll", "lived", "in", "Lunsk", "."], ...],
      "vertexSet": [[{"name": "Ada Kroll", "sent_id": 0, "pos": [0, 2], "type": "PER"}, ...], ...],
      "labels": [{"h": 0, "t": 1, "r": "P551", "evidence": [0]}, ...]}, ...]

A row is a fact. It becomes one statement where its two entities stand in one sentence: in the first sentence of its
evidence that holds both, else in the first sentence that does, and there by their first mentions. A fact that takes
two sentences or more is rejected.

Read for its evidence, a fact becomes one statement for each sentence that holds both entities, which expresses it
where it is of the evidence. A fact without evidence is rejected.

The positions alone decide, as a few names carry traces of how they were made; types are those of the mentions. Ids are
`FILE:DOCUMENT-FACT`, and for evidence `FILE:DOCUMENT-FACT-SENTENCE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from protorel.corpora.docred_document import Document
from protorel.corpora.json_files import field_in, whole_list
from protorel.corpora.json_values import shown
from protorel.corpora.rejects import Reject, Row
from protorel.statements import Statement, StatementError

_THEIR_NAMES = {"head": "h", "tail": "t", "text": "sents", "relation": "r"}


def read_docred(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each fact, and a reject for each document that cannot be read."""
    return _read(path, _best_sentence)


def read_docred_evidence(path: Path) -> Iterator[Row]:
    """Yield judged statements or a reject for each fact: some name its entities only, others express it."""
    return _read(path, _every_sentence)


def _read(path: Path, told: Callable[[Document, object, str], Iterator[Statement]]) -> Iterator[Row]:
    for number, value in enumerate(whole_list(path, "DocRED's list of documents")):
        try:
            document = Document(value)
        except StatementError as problem:
            yield Reject(path.name, None, field_in(f"[{number}]", problem, {}), problem.reason, shown(value))
            continue
        for index, fact in enumerate(document.labels):
            try:
                yield from told(document, fact, f"{path.stem}:{number}-{index}")
            except StatementError as problem:
                field = field_in(f"[{number}].labels[{index}]", problem, _THEIR_NAMES)
                yield Reject(path.name, None, field, problem.reason, shown(fact))


def _best_sentence(document: Document, value: object, id: str) -> Iterator[Statement]:
    fact = document.fact(value)
    best = min(fact.sentences, key=lambda number: (number not in fact.evidence, number))
    yield document.statement(fact, best, id)


def _every_sentence(document: Document, value: object, id: str) -> Iterator[Statement]:
    fact = document.fact(value)
    if not fact.evidence:
        raise StatementError("", "it has no evidence, so that nobody said which sentences express it")
    # All of them before the first is given away: a fact is read whole, or rejected.
    yield from [
        document.statement(fact, number, f"{id}-{number}", expresses=number in fact.evidence)
        for number in fact.sentences
    ]
