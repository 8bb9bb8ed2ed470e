"""The files of a source, the lines of a file, and its first bytes, through any compression."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from pathlib import Path

from protorel.corpora import SHOWN, Line, decoded_line
from protorel.harvest.sources.compressed import CUT_SHORT, compression_of, tolerant
from protorel.harvest.types import Tally
from protorel.io import check_source, open_source
from protorel.statements import BadInput

SKIPPED_BYTES = "bytes of lines that are too long"
_SKIPPED = 1 << 20


def files_in(path: Path) -> list[Path]:
    """Return the file itself, or all files in a folder and its subfolders, in order and without hidden ones."""
    check_source(path, folder=True)
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.is_file() and not _is_hidden(file.relative_to(path)))
    if not files:
        raise BadInput(f"{path}: expected at least one file, got an empty folder")
    return files


def raw_lines(stream: io.BufferedReader, *, longest: int) -> Iterator[tuple[int, bytes, int]]:
    """Yield each line's number, its bytes without the line end, and its length in bytes.

    Of a line longer than `longest` only the beginning is given; the rest is skipped.
    """
    number = 0
    while raw := stream.readline(longest + 2):
        number += 1
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        line = raw.removesuffix(b"\n").removesuffix(b"\r")
        length = len(line)
        if length > longest:
            beginning = line[:SHOWN]
            line = b""
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(_SKIPPED)
                length += len(raw.removesuffix(b"\n"))
            yield number, beginning, length
        else:
            yield number, line, length


def text_lines(path: Path, tally: Tally, *, longest: int) -> Iterator[Line]:
    """Yield the lines of a file that are not blank, as `corpora.numbered_lines` does, through any compression."""
    with tolerant(path, tally) as stream:
        for number, raw, length in raw_lines(stream, longest=longest):
            if length > longest:
                tally.notice(SKIPPED_BYTES, length)
                problem = f"expected at most {longest} bytes, got {length}"
                yield Line(number, raw.decode("utf-8", "replace"), problem)
            elif raw.strip():
                yield decoded_line(number, raw)


def first_bytes(path: Path, size: int = 1 << 16) -> bytes:
    """Return the first bytes of a file, decompressed; empty for an empty or unreadable file."""
    with tolerant(path, Tally()) as stream:
        return stream.read(size).removeprefix(codecs.BOM_UTF8)


def why_empty(path: Path) -> str:
    """Return why a file has no first byte: it is empty, or compressed and cut off or damaged too early."""
    tally = Tally()
    with tolerant(path, tally) as stream:
        stream.read(1)
    if not tally.noticed:
        return "is empty"
    with open_source(path) as raw:
        compression = compression_of(raw)
    broken = "is cut off" if tally.noticed[CUT_SHORT] else "is damaged"
    return f"is a {compression} file that {broken} before anything could be read from it"


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
