"""ZeroRTE: one JSON object per line, the triplets of a tokenised sentence (Chia et al., 2022); Wiki-ZSL's format.

    {"triplets": [{"tokens": ["Ada", "Kroll", "of", "Lunsk"], "head": [0, 1], "tail": [3],
                   "label": "residence", "label_id": "P551", "head_id": "", "tail_id": ""}]}

A row is a triplet, and a line may have several; `head` and `tail` list their tokens. The relation is `label_id` if
there is one, else `label`. Ids are `FILE:LINE-INDEX`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from protorel.corpora.json_input import a_list, a_text, an_object, field_in, object_of, shown, texts, whole_numbers
from protorel.corpora.rows import Reject, Row, numbered_lines
from protorel.corpora.tokens import JoinedTokens
from protorel.statements import Statement, StatementError

_THEIR_NAMES = {"text": "tokens"}


def read_zerorte(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each triplet, and a reject for each line without a list of triplets."""
    for line in numbered_lines(path):
        if line is None:
            continue
        try:
            triplets = a_list(object_of(line, ("triplets",))["triplets"], "triplets", "a list of triplets")
        except StatementError as problem:
            yield Reject(path.name, line.number, problem.field, problem.reason, line.text)
            continue
        for index, triplet in enumerate(triplets):
            try:
                yield _statement(triplet, f"{path.stem}:{line.number}-{index}")
            except StatementError as problem:
                field = field_in(f"triplets[{index}]", problem, _THEIR_NAMES)
                yield Reject(path.name, line.number, field, problem.reason, shown(triplet))


def _statement(triplet: object, id: str) -> Statement:
    given = an_object(triplet, "", ("tokens", "head", "tail", "label"))
    joined = JoinedTokens(texts(given["tokens"], "tokens"))
    head, tail = (joined.span_of(whole_numbers(given[end], end), end) for end in ("head", "tail"))
    label_id, head_id, tail_id = (
        a_text(given[name], name) if given.get(name) is not None else "" for name in ("label_id", "head_id", "tail_id")
    )
    relation = label_id or a_text(given["label"], "label")
    return Statement(
        joined.text, head, tail, relation, id, head_id=head_id or None, tail_id=tail_id or None, source="zerorte"
    )
