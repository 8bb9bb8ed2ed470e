"""The form in which the paper's authors released their pretraining data: ids of BERT's cased vocabulary.

Five columns, parted by the character 1: a number, the relation, the places of the two start markers, and the ids,
parted by the character 2. `[unused1]` and `[unused2]` stand around the head, `[unused3]` and `[unused4]` around the
tail. `[unused5]` stands where a name was hidden, which cannot be undone: the text has `[BLANK]` there. Pieces are put
together to words, words are joined by one space. Ids are `FILE:NUMBER`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from protorel.corpora.lines import Line, numbered_lines
from protorel.corpora.rejects import Reject, Row
from protorel.corpora.wordpieces import cased_pieces
from protorel.statements import Span, Statement, StatementError

BLANK = "[BLANK]"
_COLUMNS = ("number", "relation", "head", "tail", "ids")
_NUMBER = re.compile(r"[0-9]{1,9}")
_MARKERS = {"head": ("[unused1]", "[unused2]"), "tail": ("[unused3]", "[unused4]")}
_HIDDEN = "[unused5]"
_STRUCTURE = frozenset(("[CLS]", "[SEP]", "[PAD]", *_MARKERS["head"], *_MARKERS["tail"]))


def read_released_ids(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each line that is not blank."""
    pieces = cased_pieces(path)
    for line in numbered_lines(path):
        if line is None:
            continue
        try:
            yield _statement(line, pieces, path.stem)
        except StatementError as problem:
            yield Reject(path.name, line.number, problem.field, problem.reason, line.text)


def _statement(line: Line, pieces: Sequence[str], stem: str) -> Statement:
    if line.problem:
        raise StatementError("line", line.problem)
    columns = line.text.split("\x01")
    if len(columns) != len(_COLUMNS):
        raise StatementError(
            "line", f"has {len(columns)} columns, {len(_COLUMNS)} parted by the character 1 are wanted"
        )
    given = dict(zip(_COLUMNS, columns, strict=True))
    number = _whole(given["number"], "number")
    row = [_piece(id, place, pieces) for place, id in enumerate(given["ids"].split("\x02"))]
    inside = {end: _between_markers(row, end, _whole(given[end], end)) for end in _MARKERS}
    text, starts, stops = _text_of(row)
    head, tail = (Span(starts[places[0]], stops[places[-1]]) for places in inside.values())
    return Statement(text, head, tail, given["relation"], f"{stem}:{number}", source="released")


def _whole(column: str, field: str) -> int:
    if not _NUMBER.fullmatch(column):
        raise StatementError(field, f"is {column[:40]!r}, a whole number is wanted")
    return int(column)


def _piece(column: str, place: int, pieces: Sequence[str]) -> str:
    id = _whole(column, f"ids[{place}]")
    if id >= len(pieces):
        raise StatementError(f"ids[{place}]", f"is {id}, the vocabulary has {len(pieces)} pieces")
    return pieces[id]


def _between_markers(row: Sequence[str], end: str, place: int) -> list[int]:
    """Return the places of the pieces of an entity's name, after checking that its markers are where they should be."""
    before, after = _MARKERS[end]
    for marker in (before, after):
        if row.count(marker) != 1:
            raise StatementError(end, f"{marker} stands {row.count(marker)} times in the row, once is wanted")
    start, stop = row.index(before), row.index(after)
    if start != place:
        raise StatementError(end, f"is {place}, {before} stands at {start}")
    inside = [at for at in range(start + 1, stop) if row[at] not in _STRUCTURE]
    if not inside:
        raise StatementError(end, f"nothing stands between {before} and {after}")
    return inside


def _text_of(row: Sequence[str]) -> tuple[str, dict[int, int], dict[int, int]]:
    """Put pieces together to a text; return it, and where in it the piece of each place starts and stops."""
    parts: list[str] = []
    starts: dict[int, int] = {}
    stops: dict[int, int] = {}
    length = 0
    for place, piece in enumerate(row):
        if piece in _STRUCTURE:
            continue
        part = BLANK if piece == _HIDDEN else piece.removeprefix("##")
        if length and not piece.startswith("##"):
            parts.append(" ")
            length += 1
        parts.append(part)
        starts[place], stops[place] = length, length + len(part)
        length += len(part)
    return "".join(parts), starts, stops
