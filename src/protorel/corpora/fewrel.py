"""FewRel: one JSON object, a list of instances for each relation (Han et al., 2018).

    {"P931": [{"tokens": ["Tjongejonge", ...], "h": ["tjq", "Q1331049", [[16]]], "t": [...]}, ...], ...}

An entity is its name, its Wikidata id and the positions of each of its mentions; the first mention is taken. The names
are lower-cased and sometimes not those of the positions, so the positions alone decide. Ids are `FILE:RELATION-INDEX`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protorel.corpora.json_values import a_list, a_text, found, parse_json, shown, texts, whole_numbers
from protorel.corpora.rejects import Reject, Row
from protorel.corpora.tokens import JoinedTokens
from protorel.statements import BadInput, Span, Statement, StatementError

_THEIR_NAMES = {"head": "h", "tail": "t", "text": "tokens"}


def read_fewrel(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each instance of a FewRel file."""
    for relation, instances in _load(path).items():
        if not isinstance(instances, list):
            reason = f"is {found(instances)}, a list of instances is wanted"
            yield Reject(path.name, None, relation, reason, shown(instances))
            continue
        for index, instance in enumerate(instances):
            try:
                yield _statement(instance, a_text(relation, "relation"), f"{path.stem}:{relation}-{index}")
            except StatementError as problem:
                place = f"{relation}[{index}]"
                field = f"{place}.{_THEIR_NAMES.get(problem.field, problem.field)}" if problem.field else place
                yield Reject(path.name, None, field, problem.reason, shown(instance))


def _load(path: Path) -> dict[str, Any]:
    try:
        whole = parse_json(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as problem:
        raise BadInput(f"{path}: is not UTF-8 (byte {problem.start}: {problem.reason})") from problem
    except ValueError as problem:
        raise BadInput(f"{path}: {problem}; a FewRel file is one JSON object, is it cut short?") from problem
    if not isinstance(whole, dict):
        raise BadInput(f"{path}: is {found(whole)}, FewRel's object of relations, each with its instances, is wanted")
    return whole


def _statement(instance: object, relation: str, id: str) -> Statement:
    if not isinstance(instance, dict):
        raise StatementError("", f"is {found(instance)}, an object with tokens, h and t is wanted")
    for name in ("tokens", "h", "t"):
        if name not in instance:
            raise StatementError(name, "is missing")
    joined = JoinedTokens(texts(instance["tokens"], "tokens"))
    head, head_id = _entity(instance["h"], "h", joined)
    tail, tail_id = _entity(instance["t"], "t", joined)
    return Statement(joined.text, head, tail, relation, id, head_id=head_id, tail_id=tail_id, source="fewrel")


def _entity(value: object, field: str, joined: JoinedTokens) -> tuple[Span, str | None]:
    wanted = "[name, id, [positions, ...]]"
    parts = a_list(value, field, wanted)
    if len(parts) != 3:
        raise StatementError(field, f"is a list of {len(parts)}, {wanted} is wanted")
    a_text(parts[0], f"{field}[0]")
    id = a_text(parts[1], f"{field}[1]") if parts[1] is not None else None
    mentions = a_list(parts[2], f"{field}[2]", "a list of mentions, each a list of positions,")
    if not mentions:
        raise StatementError(f"{field}[2]", "is empty, one mention or more is wanted")
    positions = whole_numbers(mentions[0], f"{field}[2][0]")
    if not positions:
        raise StatementError(f"{field}[2][0]", "is empty, one position or more is wanted")
    first, stop = positions[0], positions[-1] + 1
    span = joined.span(first, stop, field) if first < stop else None
    if span is None or positions != list(range(first, stop)):
        raise StatementError(field, f"positions {shown(positions)[:80]} do not follow each other")
    return span, id or None
