"""Right answers of each episode, small enough to be kept with a cell: two rows can then be compared in pairs."""

from __future__ import annotations

import base64
import zlib

import numpy as np
from numpy.typing import NDArray

from protorel.statements import BadInput


def packed(right: NDArray[np.bool_]) -> str:
    """Return how many queries of each episode were answered right, as compressed bytes in base64."""
    counts = right.sum(axis=1).astype(np.uint8)
    return base64.b64encode(zlib.compress(counts.tobytes(), level=9)).decode("ascii")


def unpacked(text: str) -> NDArray[np.int64]:
    """Return the counts that were packed, one for each episode."""
    try:
        counts = np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), dtype=np.uint8)
    except (ValueError, zlib.error) as problem:
        raise BadInput(f"a cell's right answers cannot be unpacked ({problem})") from problem
    return counts.astype(np.int64)
