"""Rows of a foreign file: its lines, and the rows that are not statements. No row is dropped silently."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from protorel.io import open_source
from protorel.statements import Statement

MAX_LINE = 1_000_000
"""The longest line that is read, in bytes: a bound on the cost of a hostile file."""
SHOWN = 2_000
"""How much of a bad line is kept, in bytes."""
MAX_CONTENT = 500
"""The longest excerpt of a rejected row, in characters."""
KEEP_OVERLAP = "to keep such rows, convert the file with --allow-overlap"
"""The hint of a row that is rejected because its head and tail overlap."""
_MAX_FIELD = 100
_MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class Reject:
    """A row that is not a statement: its place in the file, the wrong field, and the reason."""

    file: str
    """The file's name, not its path: a file of rejects says nothing about the machine."""
    line: int | None
    """Counted from 1; None if the format has no lines: then `field` is a path such as `P931[12].h`."""
    field: str
    reason: str
    content: str
    """The beginning of the row, as it is in the file."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", excerpt(self.file, _MAX_FIELD))
        object.__setattr__(self, "field", excerpt(self.field, _MAX_FIELD))
        object.__setattr__(self, "reason", excerpt(self.reason, _MAX_REASON))
        object.__setattr__(self, "content", excerpt(self.content, MAX_CONTENT))

    def as_json(self) -> str:
        """Return the reject as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {self.field}: {self.reason}"


Row = Statement | Reject
"""What a reader yields for one row."""

Reader = Callable[[Path], Iterator[Row]]
"""Yields exactly one `Statement` or `Reject` per row of a file."""


def excerpt(text: str, limit: int) -> str:
    """Return the beginning of a text, with lone surrogates escaped, since no file can hold them."""
    writable = text[:limit].encode("utf-8", "backslashreplace").decode("utf-8")
    return writable if len(text) <= limit and len(writable) <= limit else writable[: limit - 1] + "…"


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank, without its line end; `problem` says why it cannot be read, if so."""

    number: int
    text: str
    problem: str | None = None


def numbered_lines(path: Path) -> Iterator[Line | None]:
    """Yield the lines of a file, and None for each blank one, without byte order mark and line ends."""
    with open_source(path) as stream:
        number = 0
        while raw := stream.readline(MAX_LINE + 2):
            number += 1
            if number == 1:
                raw = raw.removeprefix(codecs.BOM_UTF8)
            whole = raw.removesuffix(b"\n").removesuffix(b"\r")
            if len(whole) > MAX_LINE:
                if not raw.endswith(b"\n"):
                    _skip_rest(stream)
                problem = f"is longer than {MAX_LINE} bytes"
                yield Line(number, whole[:SHOWN].decode("utf-8", "replace"), problem)
            else:
                yield decoded_line(number, whole) if whole.strip() else None


def decoded_line(number: int, raw: bytes) -> Line:
    """Return a line as text, or with the first byte that is not UTF-8 as its problem."""
    try:
        return Line(number, raw.decode("utf-8"))
    except UnicodeDecodeError as problem:
        shown = raw[:SHOWN].decode("utf-8", "replace")
        return Line(number, shown, f"is not UTF-8: byte 0x{raw[problem.start]:02x} at {problem.start}")


def _skip_rest(stream: BinaryIO) -> None:
    while piece := stream.readline(MAX_LINE):
        if piece.endswith(b"\n"):
            return
