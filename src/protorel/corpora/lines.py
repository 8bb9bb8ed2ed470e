"""The lines of a foreign text file, one at a time, however bad or long a line is."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from protorel.io import open_source

MAX_LINE = 1_000_000
"""The longest line, in bytes, that is read: a bound on what a hostile file can cost."""
SHOWN = 2_000
"""How much of a bad line is kept."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank, without its end; `problem` says why it cannot be read, where it cannot."""

    number: int
    text: str
    problem: str | None = None


def numbered_lines(path: Path) -> Iterator[Line | None]:
    """Yield the lines of a file, and None for each blank one; a byte order mark and CRLF are taken off."""
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
    """Return a line as text, or with the byte that is none."""
    try:
        return Line(number, raw.decode("utf-8"))
    except UnicodeDecodeError as problem:
        shown = raw[:SHOWN].decode("utf-8", "replace")
        return Line(number, shown, f"is not UTF-8: byte 0x{raw[problem.start]:02x} at {problem.start}")


def _skip_rest(stream: BinaryIO) -> None:
    while piece := stream.readline(MAX_LINE):
        if piece.endswith(b"\n"):
            return
