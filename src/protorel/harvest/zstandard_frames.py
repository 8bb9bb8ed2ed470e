"""The frames of a Zstandard file, unpacked in a row; the library's own reader takes a cut for an end."""

from __future__ import annotations

import io
from typing import Any, BinaryIO, cast

from protorel.harvest.libraries import library

_PACKED = 4096
"""Bytes unpacked at a time: few, because four of them may stand for a hundred thousand."""


class ZstandardFrames(io.RawIOBase):
    """Unpacks a stream; raises `EOFError` where it ends inside a frame."""

    def __init__(self, packed: BinaryIO) -> None:
        super().__init__()
        self._packed = packed
        self._unpacker = library("zstandard").ZstdDecompressor()
        self._frame: Any = None
        self._left, self._held = b"", b""

    def readable(self) -> bool:
        """Tell that this stream can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer as far as what is unpacked goes."""
        while not self._held:
            piece = self._left or self._packed.read(_PACKED)
            if not piece:
                if self._frame is not None:
                    raise EOFError("the file ends inside a frame")
                return 0
            frame = self._frame or self._unpacker.decompressobj()
            self._held, self._left = frame.decompress(piece), frame.unused_data
            self._frame = None if frame.eof else frame
        view = memoryview(cast(bytearray, buffer))
        given, self._held = self._held[: len(view)], self._held[len(view) :]
        view[: len(given)] = given
        return len(given)
