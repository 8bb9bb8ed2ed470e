"""One spelling of a text for looking names up in it, and the way back to the characters as they stood."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# An ASCII character may carry marks that follow it, so that it belongs to what is looked at.
_BEYOND_ASCII = re.compile("[\x21-\x7e]?[^\x00-\x7f]+")
# Apostrophes and hyphens that people type for one another; what nobody sees is taken out.
_ALIKE = str.maketrans(
    dict.fromkeys("‘’ʼ＇`´", "'") | dict.fromkeys("‐‑", "-") | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", "")
)


_SHORT = 32
# A letter takes no more marks than this: to put n of them in order costs n² steps.
_MOST_MARKS = 32


@dataclass(frozen=True, slots=True)
class Spelled:
    """A text in one spelling (NFKC, one apostrophe, one hyphen) and where each of its characters comes from."""

    text: str
    begins: NDArray[np.int64] | None
    """For each character the first original character it stands for; none where every character kept its place."""
    ends: NDArray[np.int64] | None
    """For each character the place behind the last original character it stands for."""

    def original(
        self, starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ranges of the original text that ranges of this one stand for; none of them may be empty."""
        if self.begins is None or self.ends is None:
            return starts, stops
        return self.begins[starts], self.ends[stops - 1]


def spell(text: str) -> Spelled:
    """Spell a text in the one way; case stays, because names are told from other words by it."""
    if text.isascii():
        return Spelled(text, None, None)
    parts: list[str] = []
    # (length as it stands here, length as it stood): a plain stretch keeps its length, a piece may not.
    stretches: list[tuple[int, int]] = []
    done = 0
    moved = False
    for found in _BEYOND_ASCII.finditer(text):
        run = found[0]
        # Short runs come again and again; long ones would fill the memory of what was seen.
        pieces = _remembered(run) if len(run) <= _SHORT else _respelled(run)
        if pieces is None:
            continue
        parts.append(text[done : found.start()])
        stretches.append((found.start() - done, -1))
        for piece, length in pieces:
            parts.append(piece)
            stretches.append((len(piece), length))
            moved = moved or len(piece) != length
        done = found.end()
    if not parts:
        return Spelled(text, None, None)
    parts.append(text[done:])
    stretches.append((len(text) - done, -1))
    begins, ends = _places(stretches) if moved else (None, None)
    return Spelled("".join(parts), begins, ends)


def _respelled(run: str) -> tuple[tuple[str, int], ...] | None:
    """Spell a run of characters, each with its marks; return the pieces with the lengths that they stand for."""
    letters: list[str] = []
    for letter in run:
        if letters and unicodedata.combining(letter) and len(letters[-1]) < _MOST_MARKS:
            letters[-1] += letter
        else:
            letters.append(letter)
    pieces = tuple((unicodedata.normalize("NFKC", letter.translate(_ALIKE)), len(letter)) for letter in letters)
    return None if "".join(piece for piece, _ in pieces) == run else pieces


_remembered = lru_cache(maxsize=65536)(_respelled)


def _places(stretches: list[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    begins, ends = [], []
    at = 0
    for length, stood in stretches:
        if stood < 0:
            begins.append(np.arange(at, at + length))
            ends.append(begins[-1] + 1)
            at += length
        else:
            begins.append(np.full(length, at))
            ends.append(np.full(length, at + stood))
            at += stood
    return np.concatenate(begins), np.concatenate(ends)
