"""The bytes of a file, plain or compressed: damage and a cut end are counted, and decompression bombs are stopped."""

from __future__ import annotations

import bz2
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from protorel.corpora import Reject
from protorel.harvest.libraries import library
from protorel.harvest.types import Tally
from protorel.io import open_source

CUT_SHORT = "file cut short"
"""The reason under which a tally counts a compressed file that ends before its end."""
_DAMAGED = "compressed file damaged: read up to the damage"
MAX_RATIO = 1_000
"""How many times its size a compressed file may unpack to, or to `ALWAYS_ALLOWED` bytes if that is more."""
ALWAYS_ALLOWED = 256_000_000
UNPACKS_TO_TOO_MUCH = f"file unpacks to more than {MAX_RATIO:,} times its size: read up to there"
MAX_WINDOW = 1 << 27
"""The largest window, in bytes, that a Zstandard frame may ask for: this much unpacked data is kept in memory."""
_BUFFER = 1 << 18
_READ = 1 << 16
_PACKED = 512
"""Compressed bytes unpacked at a time: four may unpack to a hundred thousand, so these may give 16 MB."""
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "Zstandard"}


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading, through gzip, bzip2 (also of many streams) or Zstandard if its first bytes say so."""
    with open_source(path) as raw:
        compression = compression_of(raw)
        raw.seek(0)
        if compression == "gzip":
            yield cast(BinaryIO, gzip.GzipFile(fileobj=raw))
        elif compression == "bzip2":
            yield cast(BinaryIO, bz2.BZ2File(raw))
        elif compression == "Zstandard":
            yield cast(BinaryIO, ZstandardFrames(raw))
        else:
            yield raw


@contextmanager
def tolerant(path: Path, tally: Tally) -> Iterator[io.BufferedReader]:
    """Open a file as `opened` does; damage, or unpacking to more than `MAX_RATIO` allows, ends it and is counted."""
    with opened(path) as stream:
        is_compressed = isinstance(stream, gzip.GzipFile | bz2.BZ2File | ZstandardFrames)
        most = max(ALWAYS_ALLOWED, MAX_RATIO * path.stat().st_size) if is_compressed else None
        yield io.BufferedReader(TolerantStream(stream, path.name, tally, most=most), _BUFFER)


def compression_of(raw: BinaryIO) -> str | None:
    """Return the name of the compression that the next bytes of a stream announce; None if there is none."""
    start = raw.read(4)
    return next((name for magic, name in _MAGIC.items() if start.startswith(magic)), None)


class TolerantStream(io.RawIOBase):
    """Reads a stream; a tail that is cut short or damaged ends it and is counted."""

    def __init__(self, stream: BinaryIO, file: str, tally: Tally, *, most: int | None = None) -> None:
        super().__init__()
        self._stream = stream
        self._file = file
        self._tally = tally
        self._left = most
        self.ended_early = False
        """Whether the stream ended before the end of the file's content."""
        zstandard = sys.modules.get("zstandard")
        errors = (zstandard.ZstdError,) if zstandard else ()
        self._errors: tuple[type[Exception], ...] = (OSError, zlib.error, *errors)

    def readable(self) -> bool:
        """Return True: this stream can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer with what one read gives."""
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
            # One read at a time: a longer one would lose what it has gathered before the damage.
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


class ZstandardFrames(io.RawIOBase):
    """Unpacks all frames of a Zstandard stream; raises `EOFError` if it ends inside a frame.

    The library's own reader takes a cut for an end.
    """

    def __init__(self, packed: BinaryIO) -> None:
        super().__init__()
        self._packed = packed
        self._unpacker = library("zstandard").ZstdDecompressor(max_window_size=MAX_WINDOW)
        self._frame: Any = None
        self._read, self._left, self._held = memoryview(b""), b"", memoryview(b"")

    def readable(self) -> bool:
        """Return True: this stream can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer with what is unpacked."""
        while not self._held:
            piece = self._left or self._next_piece()
            if not piece:
                if self._frame is not None:
                    raise EOFError("the file ends inside a frame")
                return 0
            frame = self._frame or self._unpacker.decompressobj()
            self._held, self._left = memoryview(frame.decompress(piece)), frame.unused_data
            self._frame = None if frame.eof else frame
        view = memoryview(cast(bytearray, buffer))
        given, self._held = self._held[: len(view)], self._held[len(view) :]
        view[: len(given)] = given
        return len(given)

    def _next_piece(self) -> bytes:
        self._read = self._read or memoryview(self._packed.read(_READ))
        piece, self._read = bytes(self._read[:_PACKED]), self._read[_PACKED:]
        return piece
