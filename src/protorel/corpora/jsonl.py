"""A user's own data: one JSON object per line, with entities by name or by their offsets in characters or in tokens.

    {"text": "Ada Kroll was born in Lunsk.", "head": "Ada Kroll", "tail": "Lunsk", "relation": "born_in"}
    {"text": "Ada Kroll was born in Lunsk.", "head": [0, 9], "tail": [22, 27], "relation": "born_in"}
    {"tokens": ["Ada", "Kroll", "was", "born", "in", "Lunsk", "."], "head": [0, 2], "tail": [5, 6]}

A name must occur once in the text. A row may have every other field of `Statement`. A row with an unknown field is
rejected, because a typo would lose data silently; so is a row whose head and tail overlap, unless that is allowed. The
default `id` is `FILE:LINE`, the default `source` the file's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from protorel.corpora.json_input import a_range, a_text, found, json_of, texts
from protorel.corpora.rows import KEEP_OVERLAP, Reject, Row, numbered_lines
from protorel.corpora.tokens import JoinedTokens
from protorel.statements import STATEMENT_FIELDS, Span, Statement, StatementError, place_of_name

_FIELDS = (*STATEMENT_FIELDS, "tokens")
_PLAIN_TEXTS = ("relation", "id", "head_id", "tail_id", "head_type", "tail_type", "document", "source")


def read_jsonl(path: Path, *, allow_overlap: bool = False) -> Iterator[Row]:
    """Yield a statement or a reject for each line that is not blank."""
    for line in numbered_lines(path):
        if line is None:
            continue
        try:
            statement = _statement(json_of(line), {"id": f"{path.stem}:{line.number}", "source": path.stem})
            if not allow_overlap:
                statement.refuse_overlap(hint=KEEP_OVERLAP)
            yield statement
        except StatementError as problem:
            yield Reject(path.name, line.number, problem.field, problem.reason, line.text)


def _statement(given: object, defaults: dict[str, str]) -> Statement:
    if not isinstance(given, dict):
        raise StatementError("line", f"expected an object with text, head and tail, got {found(given)}")
    _check_names(given)
    text, head, tail = _marked_text(given)
    plain = {name: a_text(given[name], name) for name in _PLAIN_TEXTS if given.get(name) is not None}
    plain |= {name: default for name, default in defaults.items() if not plain.get(name)}
    expresses = given.get("expresses")
    if not isinstance(expresses, bool | None):
        raise StatementError("expresses", f"expected true, false or null, got {found(expresses)}")
    return Statement(text, head, tail, expresses=expresses, **plain)


def _check_names(given: dict[str, Any]) -> None:
    for name in given:
        if name not in _FIELDS:
            near = get_close_matches(name[:100], _FIELDS, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Known fields: {', '.join(_FIELDS)}."
            raise StatementError(name, f"is not a field of a statement. {hint}")
    if ("text" in given) == ("tokens" in given):
        both = "expected text or tokens, got both" if "text" in given else "expected text or tokens, got neither"
        raise StatementError("text", both)
    for name in ("head", "tail"):
        if name not in given:
            raise StatementError(name, "is missing")


def _marked_text(given: dict[str, Any]) -> tuple[str, Span, Span]:
    if "text" in given:
        text = a_text(given["text"], "text")
        return text, _span(given, text, "head"), _span(given, text, "tail")
    head, tail = a_range(given["head"], "head"), a_range(given["tail"], "tail")
    joined = JoinedTokens(texts(given["tokens"], "tokens"))
    return joined.text, joined.span(*head, "head"), joined.span(*tail, "tail")


def _span(given: dict[str, Any], text: str, field: str) -> Span:
    """Return where the head or the tail is, from its offsets or its name."""
    if isinstance(given[field], str):
        return place_of_name(given[field], text, field, hint="Give its place as [start, stop].")
    return Span(*a_range(given[field], field))
