"""OpenNRE: one JSON object per line, with tokens or text (Han et al., 2019); the format of wiki80, NYT10 and others.

    {"token": ["Ada", "Kroll", "of", "Lunsk"], "h": {"name": "ada kroll", "id": "Q1", "pos": [0, 2]}, "t": {...},
     "relation": "residence"}
    {"text": "Ada Kroll of Lunsk", "h": {"name": "Ada Kroll", "pos": [0, 9]}, "t": {...}, "relation": "residence"}

`pos` is [start, stop), in tokens or in characters. The marked text must equal the `name`, except for case, white space
and underscores: in some files of this format `stop` is the last token, and names would silently be cut short. Ids are
`FILE:LINE`; labels are kept as they are, including `NA` and the direction in `Cause-Effect(e1,e2)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protorel.corpora.json_input import a_range, a_text, an_object, field_in, object_of, texts
from protorel.corpora.rows import Reject, Row, excerpt, numbered_lines
from protorel.corpora.tokens import JoinedTokens
from protorel.statements import Span, Statement, StatementError

_THEIR_NAMES = {"head": "h.pos", "tail": "t.pos"}


def read_opennre(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each line that is not blank."""
    for line in numbered_lines(path):
        if line is None:
            continue
        try:
            yield _statement(object_of(line, ("h", "t")), f"{path.stem}:{line.number}")
        except StatementError as problem:
            field = field_in("", problem, _THEIR_NAMES)
            yield Reject(path.name, line.number, field, problem.reason, line.text)


def _statement(given: dict[str, Any], id: str) -> Statement:
    if ("text" in given) == ("token" in given):
        both = "expected text or token, got both" if "text" in given else "expected text or token, got neither"
        raise StatementError("text", both)
    joined = JoinedTokens(texts(given["token"], "token")) if "token" in given else None
    text = joined.text if joined else a_text(given["text"], "text")
    head, head_id = _entity(given["h"], "h", text, joined)
    tail, tail_id = _entity(given["t"], "t", text, joined)
    relation = a_text(given["relation"], "relation") if given.get("relation") is not None else None
    return Statement(text, head, tail, relation, id, head_id=head_id, tail_id=tail_id, source="opennre")


def _entity(value: object, field: str, text: str, joined: JoinedTokens | None) -> tuple[Span, str | None]:
    entity = an_object(value, field, ("name", "pos"))
    name = a_text(entity["name"], f"{field}.name")
    id = a_text(entity["id"], f"{field}.id") if entity.get("id") is not None else None
    place = f"{field}.pos"
    start, stop = a_range(entity["pos"], place)
    span = joined.span(start, stop, place) if joined else Span(start, stop)
    if span.start < 0 or _squeezed(span.of(text)) != _squeezed(name):
        marked, expected = excerpt(span.of(text), 80), excerpt(name, 80)
        raise StatementError(place, f"expected the name {expected!r}, got {marked!r} at [{start}, {stop})")
    return span, id or None


def _squeezed(text: str) -> str:
    return "".join(text.replace("_", " ").casefold().split())
