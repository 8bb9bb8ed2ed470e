"""DocRED and Re-DocRED as natural pairs: every two entities of a sentence, related or not.

A row is an ordered pair of different entities that one sentence mentions. It becomes one statement for each relation
that the document's facts hold for the pair in this order, or one statement with the label `no_relation`. The sentence
names each entity by its first mention, as in the format `docred`.

A statement expresses its relation where the sentence is part of the fact's evidence, and does not where the evidence
is elsewhere; without evidence it is unknown. Facts about entities that share no sentence are rejected, one by one, so
that the counts show how much a sentence-level reader can find at most.

A document is read whole or rejected: if one of its facts cannot be read, none of its pairs can be called unrelated.
Ids are `FILE:DOCUMENT-SENTENCE-HEAD-TAIL`, with `-FACT` for related pairs; entity ids are `FILE:DOCUMENT#ENTITY`. The
second document of the same title is called `TITLE [NUMBER]`, so that each document has its own name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path

from protorel.corpora.docred import THEIR_NAMES, Document, Fact
from protorel.corpora.json_input import a_text, field_in, shown, whole_list
from protorel.corpora.rows import Reject, Row
from protorel.io import BadInput, parse_json, read_text
from protorel.statements import NO_RELATION, Statement, StatementError

_NO_SENTENCE = "expected a sentence with both entities, got none"


@dataclass(slots=True)
class _Held:
    """A relation that the facts of a document hold for an ordered pair."""

    number: int
    """The first fact that says so."""
    evidence: frozenset[int] = frozenset()


def read_docred_pairs(path: Path) -> Iterator[Row]:
    """Yield the statements of each pair of entities in a sentence, and a reject for each fact without a sentence."""
    titles: set[str] = set()
    for number, value in enumerate(whole_list(path, "DocRED's list of documents")):
        try:
            document = Document(value)
            title = document.title if document.title not in titles else f"{document.title} [{number}]"
            titles.add(title)
            rows = list(_pairs(document, f"{path.stem}:{number}", title))
        except StatementError as problem:
            yield Reject(path.name, None, field_in(f"[{number}]", problem, THEIR_NAMES), problem.reason, shown(value))
            continue
        for row in rows:
            if isinstance(row, Statement):
                yield row
            else:
                field, reason = row
                yield Reject(path.name, None, f"[{number}]{field}", reason, shown(value))


def _pairs(document: Document, id: str, title: str) -> Iterator[Statement | tuple[str, str]]:
    """Yield the statements of a document, and place and reason of each fact or pair that cannot become one."""
    entities = [document.entity(index, "") for index in range(len(document.entities))]
    held: dict[tuple[int, int], dict[str, _Held]] = {}
    for number, value in enumerate(document.labels):
        try:
            fact = document.fact(value)
            relation = a_text(fact.relation, "r")
        except StatementError as problem:
            field = f".{problem.field}" if problem.field else ""
            raise StatementError(f"labels[{number}]{field}", problem.reason) from problem
        if fact.head == fact.tail:
            yield f".labels[{number}]", "expected two different entities, got one twice"
        elif not fact.sentences:
            yield f".labels[{number}]", _NO_SENTENCE
        said = held.setdefault((fact.head, fact.tail), {}).setdefault(relation, _Held(number))
        said.evidence |= fact.evidence
    for sentence in range(len(document.sents)):
        here = [index for index, mentions in enumerate(entities) if sentence in mentions]
        for head, tail in permutations(here, 2):
            pair = Fact(NO_RELATION, head, tail, entities[head], entities[tail])
            try:
                found = document.statement(pair, sentence, f"{id}-{sentence}-{head}-{tail}")
            except StatementError as problem:
                if problem.field != "tail":
                    raise
                yield f".vertexSet[{tail}]", f"{problem.reason}, in sentence {sentence}"
                continue
            found = replace(found, head_id=f"{id}#{head}", tail_id=f"{id}#{tail}", document=title)
            relations = held.get((head, tail))
            if not relations:
                yield found
                continue
            for relation, said in relations.items():
                expresses = sentence in said.evidence if said.evidence else None
                yield replace(found, id=f"{found.id}-{said.number}", relation=relation, expresses=expresses)


def facts_without_sentence(rejects: Path) -> dict[str, int]:
    """Return how many facts of each document have no sentence with both entities.

    Args:
        rejects: The file of rejects that `convert --format docred_pairs` wrote.

    Returns:
        Numbers of facts by `FILE:DOCUMENT`, the part of an entity's id before its `#`.

    Raises:
        BadInput: a line is not a reject.
    """
    found: Counter[str] = Counter()
    for number, line in enumerate(read_text(rejects).split("\n")):
        if not line:
            continue
        try:
            reject = parse_json(line)
            if reject["reason"] == _NO_SENTENCE:
                found[f"{Path(reject['file']).stem}:{int(reject['field'][1:].partition(']')[0])}"] += 1
        except (ValueError, TypeError, KeyError) as problem:
            raise BadInput(
                f"{rejects}, line {number + 1}: expected a reject of `protorel convert`, got something else"
            ) from problem
    return dict(found)
