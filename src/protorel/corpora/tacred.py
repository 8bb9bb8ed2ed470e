"""TACRED, TACREV and Re-TACRED: one JSON list of tokenised instances (Zhang et al., 2017).

    [{"id": "e7", "docid": "d1", "relation": "per:city_of_birth", "token": ["Ada", "Kroll", "of", "Lunsk"],
      "subj_start": 0, "subj_end": 1, "obj_start": 3, "obj_end": 3, "subj_type": "PERSON", "obj_type": "CITY"}, ...]

The head is the subject, the tail is the object, and `subj_end` and `obj_end` are their last tokens. `no_relation` is
kept as a label. Tokens are kept as they are, including `-LRB-` for a bracket. The default `id` is `FILE:INDEX`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protorel.corpora.json_input import a_text, a_whole_number, an_object, field_in, shown, texts, whole_list
from protorel.corpora.rows import Reject, Row
from protorel.corpora.tokens import JoinedTokens
from protorel.statements import Span, Statement, StatementError

_THEIR_NAMES = {"head": "subj_start", "tail": "obj_start", "text": "token"}


def read_tacred(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each instance of a TACRED file."""
    for index, instance in enumerate(whole_list(path, "TACRED's list of instances")):
        try:
            yield _statement(instance, f"{path.stem}:{index}")
        except StatementError as problem:
            field = field_in(f"[{index}]", problem, _THEIR_NAMES)
            yield Reject(path.name, None, field, problem.reason, shown(instance))


def _statement(instance: object, default_id: str) -> Statement:
    given = an_object(instance, "", ("token", "subj_start", "subj_end", "obj_start", "obj_end", "relation"))
    joined = JoinedTokens(texts(given["token"], "token"))
    relation = a_text(given["relation"], "relation")
    id, document, head_type, tail_type = (
        a_text(given[name], name) if given.get(name) is not None else None
        for name in ("id", "docid", "subj_type", "obj_type")
    )
    return Statement(
        joined.text,
        _span(given, "subj", joined),
        _span(given, "obj", joined),
        relation,
        id or default_id,
        head_type=head_type or None,
        tail_type=tail_type or None,
        document=document or None,
        source="tacred",
    )


def _span(given: dict[str, Any], entity: str, joined: JoinedTokens) -> Span:
    start, last = (a_whole_number(given[f"{entity}_{end}"], f"{entity}_{end}") for end in ("start", "end"))
    return joined.span(start, last + 1, f"{entity}_start")
