"""FewRel: one JSON object, a list of instances for each relation (Han et al., 2018).

    {"P931": [{"tokens": ["Tjongejonge", ...], "h": ["tjq", "Q1331049", [[16]]], "t": [...]}, ...], ...}

An entity is its name, its Wikidata id and the positions of each of its mentions; the first mention is taken. The names
are lower-cased and sometimes not those of the positions, so the positions alone decide. Ids are `FILE:RELATION-INDEX`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from protorel.corpora.json_input import (
    a_list,
    a_text,
    an_object,
    field_in,
    found,
    shown,
    texts,
    whole_numbers,
    whole_object,
)
from protorel.corpora.rows import Reject, Row
from protorel.corpora.tokens import JoinedTokens
from protorel.statements import Span, Statement, StatementError

_THEIR_NAMES = {"head": "h", "tail": "t", "text": "tokens"}


def read_fewrel(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each instance of a FewRel file."""
    for relation, instances in whole_object(path, "FewRel's object of relations, each with its instances").items():
        if not isinstance(instances, list):
            reason = f"expected a list of instances, got {found(instances)}"
            yield Reject(path.name, None, relation, reason, shown(instances))
            continue
        for index, instance in enumerate(instances):
            try:
                yield _statement(instance, a_text(relation, "relation"), f"{path.stem}:{relation}-{index}")
            except StatementError as problem:
                field = field_in(f"{relation}[{index}]", problem, _THEIR_NAMES)
                yield Reject(path.name, None, field, problem.reason, shown(instance))


def _statement(instance: object, relation: str, id: str) -> Statement:
    given = an_object(instance, "", ("tokens", "h", "t"))
    joined = JoinedTokens(texts(given["tokens"], "tokens"))
    head, head_id = _entity(given["h"], "h", joined)
    tail, tail_id = _entity(given["t"], "t", joined)
    return Statement(joined.text, head, tail, relation, id, head_id=head_id, tail_id=tail_id, source="fewrel")


def _entity(value: object, field: str, joined: JoinedTokens) -> tuple[Span, str | None]:
    expected = "[name, id, [positions, ...]]"
    parts = a_list(value, field, expected)
    if len(parts) != 3:
        raise StatementError(field, f"expected {expected}, got a list of {len(parts)}")
    a_text(parts[0], f"{field}[0]")
    id = a_text(parts[1], f"{field}[1]") if parts[1] is not None else None
    mentions = a_list(parts[2], f"{field}[2]", "a list of mentions, each a list of positions")
    if not mentions:
        raise StatementError(f"{field}[2]", "expected one mention or more, got none")
    return joined.span_of(whole_numbers(mentions[0], f"{field}[2][0]"), field), id or None
