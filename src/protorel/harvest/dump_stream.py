"""The bytes of a source, plain or compressed, and its lines; what is cut short is read as far as it goes and said."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from protorel.corpora import SHOWN, Line, Reject, decoded_line
from protorel.harvest.tally import Tally
from protorel.harvest.zstandard_frames import ZstandardFrames
from protorel.io import open_source

CUT_SHORT = "file cut short"
"""The reason under which a tally counts a compressed file that ends before its end."""
SKIPPED_BYTES = "bytes of lines that are too long"
_DAMAGED = "compressed file damaged: read up to the damage"
MOST_TIMES = 1_000
"""A compressed file may unpack to so many times its size, or to `ALWAYS_ALLOWED` bytes where that is more."""
ALWAYS_ALLOWED = 256_000_000
UNPACKS_TO_TOO_MUCH = f"file unpacks to more than {MOST_TIMES:,} times its size: read up to there"
_PIECE = 1 << 18
_SKIPPED = 1 << 20
_BEGINNINGS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "Zstandard"}


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading, through gzip, bzip2 (of many streams too) or Zstandard where its first bytes say so."""
    with open_source(path) as raw:
        packing = _packing(raw)
        raw.seek(0)
        if packing == "gzip":
            yield cast(BinaryIO, gzip.GzipFile(fileobj=raw))
        elif packing == "bzip2":
            yield cast(BinaryIO, bz2.BZ2File(raw))
        elif packing == "Zstandard":
            yield cast(BinaryIO, ZstandardFrames(raw))
        else:
            yield raw


class TolerantStream(io.RawIOBase):
    """Reads a stream and takes a tail that is cut short or damaged for its end, counting it."""

    def __init__(self, stream: BinaryIO, file: str, tally: Tally, *, most: int | None = None) -> None:
        super().__init__()
        self._stream = stream
        self._file = file
        self._tally = tally
        self._left = most
        self.ended_early = False
        """Whether what was read so far is not all that the file was to hold."""
        zstandard = sys.modules.get("zstandard")
        errors = (zstandard.ZstdError,) if zstandard else ()
        self._errors: tuple[type[Exception], ...] = (OSError, zlib.error, *errors)

    def readable(self) -> bool:
        """Tell that this stream can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer as far as one read gives."""
        view = memoryview(cast(bytearray, buffer))
        piece = self._piece(len(view))
        view[: len(piece)] = piece
        return len(piece)

    def _piece(self, size: int) -> bytes:
        if self.ended_early:
            return b""
        if self._left is not None and self._left <= 0:
            self._end(UNPACKS_TO_TOO_MUCH, "is far larger unpacked than any text; unpack it yourself if that is right")
            return b""
        try:
            # One read at a time: a longer one would lose what it has gathered when the damage comes.
            piece: bytes = self._stream.read1(size) if hasattr(self._stream, "read1") else self._stream.read(size)
        except EOFError:
            self._end(CUT_SHORT, "ends before its compressed stream does")
            return b""
        except self._errors as problem:
            self._end(_DAMAGED, str(problem) or type(problem).__name__)
            return b""
        if self._left is not None:
            self._left -= len(piece)
        return piece

    def _end(self, reason: str, what: str) -> None:
        self.ended_early = True
        self._tally.notice(reason, example=Reject(self._file, None, "file", what, ""))


@contextmanager
def tolerant(path: Path, tally: Tally) -> Iterator[io.BufferedReader]:
    """Open a file as `opened` does; damage ends it early, as does unpacking to more than any text, and is counted."""
    with opened(path) as stream:
        is_packed = isinstance(stream, gzip.GzipFile | bz2.BZ2File | ZstandardFrames)
        most = max(ALWAYS_ALLOWED, MOST_TIMES * path.stat().st_size) if is_packed else None
        yield io.BufferedReader(TolerantStream(stream, path.name, tally, most=most), _PIECE)


def raw_lines(stream: io.BufferedReader, *, longest: int) -> Iterator[tuple[int, bytes, int]]:
    """Yield each line's number, its bytes without the line end, and how many bytes it has.

    A line of more than `longest` bytes is not given whole: its beginning is given and the rest skipped.
    """
    number = 0
    while raw := stream.readline(longest + 2):
        number += 1
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        whole = raw.removesuffix(b"\n").removesuffix(b"\r")
        length = len(whole)
        if length > longest:
            beginning = whole[:SHOWN]
            whole = b""
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(_SKIPPED)
                length += len(raw.removesuffix(b"\n"))
            yield number, beginning, length
        else:
            yield number, whole, length


def text_lines(path: Path, tally: Tally, *, longest: int) -> Iterator[Line]:
    """Yield the lines of a file that are not blank, as `corpora.lines` does, through any compression."""
    with tolerant(path, tally) as stream:
        for number, raw, length in raw_lines(stream, longest=longest):
            if length > longest:
                tally.notice(SKIPPED_BYTES, length)
                problem = f"is longer than {longest} bytes: it has {length}"
                yield Line(number, raw.decode("utf-8", "replace"), problem)
            elif raw.strip():
                yield decoded_line(number, raw)


def first_bytes(path: Path, size: int = 1 << 16) -> bytes:
    """Return what a file holds at its beginning, after any compression; empty for an empty or unreadable file."""
    with tolerant(path, Tally()) as stream:
        return stream.read(size).removeprefix(codecs.BOM_UTF8)


def why_empty(path: Path) -> str:
    """Say why a file gives not one byte: it is empty, or a compressed one that is cut off or damaged too early."""
    tally = Tally()
    with tolerant(path, tally) as stream:
        stream.read(1)
    if not tally.noticed:
        return "is empty"
    with open_source(path) as raw:
        packing = _packing(raw)
    broken = "is cut off" if tally.noticed[CUT_SHORT] else "is damaged"
    return f"is a {packing} file that {broken} before anything could be read from it"


def _packing(raw: BinaryIO) -> str | None:
    start = raw.read(4)
    return next((name for beginning, name in _BEGINNINGS.items() if start.startswith(beginning)), None)
