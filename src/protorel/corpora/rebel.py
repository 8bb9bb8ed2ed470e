"""REBEL: one JSON object per line, a Wikipedia abstract with its entities and triples (Huguet Cabot and Navigli, 2021).

    {"docid": "7", "title": "Ada Kroll", "uri": "Q1", "text": "Ada Kroll lived in Lunsk.", "entities": [...],
     "triples": [{"subject": {"uri": "Q1", "boundaries": [0, 9], "surfaceform": "Ada Kroll"},
                  "predicate": {"uri": "P551", "surfaceform": "residence"}, "object": {...}, "sentence_id": 0}]}

A row is a triple. Boundaries drift in texts with rare characters, so a triple is kept only if both spans slice to their
surface form. The sentence has a number but no boundaries, and the subject is often in an earlier sentence: the text of
a statement is the paragraph, or the paragraphs from the first entity to the last. A date or a number is written
`VALUE^^http://…#dateTime`: it has a type and no id. Ids are `FILE:LINE-INDEX`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protorel.corpora.json_input import a_list, a_range, a_text, an_object, field_in, object_of, shown
from protorel.corpora.rows import Reject, Row, excerpt, numbered_lines
from protorel.statements import Span, Statement, StatementError

_THEIR_NAMES = {"head": "subject", "tail": "object", "relation": "predicate.uri"}
_ENTITY = re.compile(r"Q[0-9]+")


def read_rebel(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each triple, and a reject for each line that cannot be read."""
    for line in numbered_lines(path):
        if line is None:
            continue
        try:
            given = object_of(line, ("text", "triples"))
            text, document = a_text(given["text"], "text"), _title(given)
            triples = a_list(given["triples"], "triples", "a list of triples")
        except StatementError as problem:
            yield Reject(path.name, line.number, problem.field, problem.reason, line.text)
            continue
        for index, triple in enumerate(triples):
            try:
                yield _statement(triple, text, document, f"{path.stem}:{line.number}-{index}")
            except StatementError as problem:
                field = field_in(f"triples[{index}]", problem, _THEIR_NAMES)
                yield Reject(path.name, line.number, field, problem.reason, shown(triple))


def _title(given: dict[str, Any]) -> str | None:
    for name in ("title", "docid"):
        if given.get(name):
            return a_text(given[name], name)
    return None


def _statement(triple: object, text: str, document: str | None, id: str) -> Statement:
    given = an_object(triple, "", ("subject", "predicate", "object"))
    predicate = an_object(given["predicate"], "predicate", ("uri",))
    relation = a_text(predicate["uri"], "predicate.uri")
    head, head_id, head_type = _entity(given["subject"], "subject", text)
    tail, tail_id, tail_type = _entity(given["object"], "object", text)
    start = text.rfind("\n", 0, min(head.start, tail.start)) + 1
    stop = text.find("\n", max(head.stop, tail.stop))
    paragraph = text[start : stop if stop >= 0 else None]
    head, tail = (Span(span.start - start, span.stop - start) for span in (head, tail))
    return Statement(
        paragraph, head, tail, relation, id, head_id, tail_id, head_type, tail_type, document, source="rebel"
    )


def _entity(value: object, field: str, text: str) -> tuple[Span, str | None, str | None]:
    """Return the span of an entity, its id if it is a Wikidata item, and its type if it is a date or a number."""
    given = an_object(value, field, ("uri", "boundaries", "surfaceform"))
    span = Span(*a_range(given["boundaries"], f"{field}.boundaries"))
    form = a_text(given["surfaceform"], f"{field}.surfaceform")
    if not form.strip():
        raise StatementError(f"{field}.surfaceform", "is empty")
    if span.start < 0 or span.of(text) != form:
        marked, expected = excerpt(span.of(text), 80), excerpt(form, 80)
        reason = f"expected the surface form {expected!r}, got {marked!r} at [{span.start}, {span.stop})"
        raise StatementError(f"{field}.boundaries", reason)
    uri = a_text(given["uri"], f"{field}.uri") if given["uri"] is not None else ""
    literal = uri.rpartition("^^")[2].rpartition("#")[2] if "^^" in uri else ""
    return span, uri if _ENTITY.fullmatch(uri) else None, literal or None
