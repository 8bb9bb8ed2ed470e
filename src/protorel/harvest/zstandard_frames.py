"""The frames of a Zstandard file, unpacked in a row; the library's own reader takes a cut for an end."""

from __future__ import annotations

import io
from typing import Any, BinaryIO, cast

from protorel.harvest.libraries import library

MAX_WINDOW = 1 << 27
"""The largest window, in bytes, that a frame may ask for: so much of what was unpacked is kept."""
_READ = 1 << 16
_PACKED = 512
"""Bytes unpacked at a time: few, because four may stand for a hundred thousand, so that these may give 16 MB."""


class ZstandardFrames(io.RawIOBase):
    """Unpacks a stream; raises `EOFError` where it ends inside a frame."""

    def __init__(self, packed: BinaryIO) -> None:
        super().__init__()
        self._packed = packed
        self._unpacker = library("zstandard").ZstdDecompressor(max_window_size=MAX_WINDOW)
        self._frame: Any = None
        self._read, self._left, self._held = memoryview(b""), b"", memoryview(b"")

    def readable(self) -> bool:
        """Tell that this stream can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer as far as what is unpacked goes."""
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
