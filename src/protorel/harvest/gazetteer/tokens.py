"""The tokens of many texts at once, as arrays: their positions, and hashes that are equal for equal tokens.

A token is a run of letters, digits and marks, or any other character that is not a space; scripts written without
spaces have one token per character. Texts are compared in one spelling (NFKC, one apostrophe, one hyphen); positions
are those of the text as given. Nothing is done token by token: a text is an array of code points, a hash is a
difference of two running sums. This makes a gazetteer of millions of names fast in Python.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

SPACE, WORD, CAPITAL, ALONE = 0, 1, 2, 3
"""Kinds of characters: white space, part of a word, a capital letter (also part of a word), or a token by itself."""

# Odd, so that every power has an inverse among the 64-bit numbers.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 2**64)
# Han, kana and the scripts of South-East Asia: no spaces between words.
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF))
_UNSPACED_BEYOND = (0x20000, 0x3FFFF)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a list of texts, in order."""

    hashes: Hashes
    texts: NDArray[np.int64]
    """The number of each token's text."""
    starts: NDArray[np.int64]
    """Character positions in that text as given."""
    stops: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    """The kind of each token's first character."""

    def __len__(self) -> int:
        return len(self.hashes)

    def of_texts(self, chosen: NDArray[np.bool_]) -> Tokens:
        """Return the tokens of the chosen texts; texts keep their numbers."""
        kept = chosen[self.texts]
        return Tokens(*(getattr(self, name)[kept] for name in self.__slots__))


def tokenise(texts: Sequence[str]) -> Tokens:
    """Return the tokens of all texts; positions slice each text as given."""
    lengths = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
    # A line feed between two texts: no token spans both.
    begins = np.concatenate([[0], np.cumsum(lengths + 1)[:-1]]) if len(texts) else np.zeros(0, np.int64)
    spelled = spell("\n".join(texts))
    codes = np.frombuffer(spelled.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    kinds = _kinds()[codes]
    word = (kinds == WORD) | (kinds == CAPITAL)
    joined = np.zeros(len(codes) + 1, dtype=bool)
    joined[1:-1] = word[1:] & word[:-1]
    visible = kinds != SPACE
    first, last = np.flatnonzero(visible & ~joined[:-1]), np.flatnonzero(visible & ~joined[1:]) + 1
    hashes = _hashes(codes, first, last)
    starts, stops = spelled.original(first, last)
    owners = np.searchsorted(begins, starts, side="right") - 1
    return Tokens(hashes, owners, starts - begins[owners], stops - begins[owners], kinds[first])


def mixed(values: Hashes) -> Hashes:
    """Spread numbers over all 64 bits, so that sums and shifts of them do not collide (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: Hashes = values ^ (values >> np.uint64(31))
    return result


def _hashes(codes: NDArray[np.uint32], first: NDArray[np.int64], last: NDArray[np.int64]) -> Hashes:
    powers, inverses = _powers(1 << max(len(codes), 1).bit_length())
    sums = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(_values()[codes] * powers[: len(codes)], out=sums[1:])
    return mixed((sums[last] - sums[first]) * inverses[first] + (last - first).astype(np.uint64))


@lru_cache(maxsize=2)
def _powers(count: int) -> tuple[Hashes, Hashes]:
    both = []
    for base in (_BASE, _INVERSE):
        powers = np.full(count, base, dtype=np.uint64)
        powers[0] = 1
        both.append(np.multiply.accumulate(powers))
    return both[0], both[1]


@lru_cache(maxsize=1)
def _values() -> Hashes:
    """Return a number per code point, mixed so that sums of neighbours in the alphabet do not collide."""
    return mixed(np.arange(1, 0x110001, dtype=np.uint64) * np.uint64(_BASE))


@lru_cache(maxsize=1)
def _kinds() -> NDArray[np.uint8]:
    kinds = np.full(0x110000, ALONE, dtype=np.uint8)
    # Beyond the planes in use there are no letters.
    for code in range(0x32000):
        category = unicodedata.category(chr(code))
        if category in ("Lu", "Lt"):
            kinds[code] = CAPITAL
        elif category[0] in "LNM":
            kinds[code] = WORD
        elif chr(code).isspace() or category in ("Cc", "Cf"):
            kinds[code] = SPACE
    for low, high in (*_UNSPACED, _UNSPACED_BEYOND):
        kinds[low : high + 1] = ALONE
    return kinds


# An ASCII character may carry combining marks that follow it.
_BEYOND_ASCII = re.compile("[\x21-\x7e]?[^\x00-\x7f]+")
# Apostrophes and hyphens that people use interchangeably; invisible characters are removed.
_ALIKE = str.maketrans(
    dict.fromkeys("‘’ʼ＇`´", "'") | dict.fromkeys("‐‑", "-") | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", "")
)


_SHORT = 32
# A letter takes at most this many marks: sorting n of them costs n² steps.
_MOST_MARKS = 32


@dataclass(frozen=True, slots=True)
class Spelled:
    """A text in one spelling (NFKC, one apostrophe, one hyphen) and the origin of each of its characters."""

    text: str
    begins: NDArray[np.int64] | None
    """For each character, the position of the first original character it replaces; None if none moved."""
    ends: NDArray[np.int64] | None
    """For each character, the position after the last original character it replaces."""

    def original(
        self, starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ranges of the original text for ranges of this one; ranges must not be empty."""
        if self.begins is None or self.ends is None:
            return starts, stops
        return self.begins[starts], self.ends[stops - 1]


def spell(text: str) -> Spelled:
    """Return a text in the one spelling; case stays, because it distinguishes names from words."""
    if text.isascii():
        return Spelled(text, None, None)
    parts: list[str] = []
    # (length here, original length): an unchanged stretch has -1.
    stretches: list[tuple[int, int]] = []
    done = 0
    moved = False
    for found in _BEYOND_ASCII.finditer(text):
        run = found[0]
        # Short runs recur and are cached; long ones would fill the cache.
        pieces = _cached_respelling(run) if len(run) <= _SHORT else _respelled(run)
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
    """Respell a run of characters, each with its marks; return the pieces with their original lengths."""
    letters: list[str] = []
    for letter in run:
        if letters and unicodedata.combining(letter) and len(letters[-1]) < _MOST_MARKS:
            letters[-1] += letter
        else:
            letters.append(letter)
    pieces = tuple((unicodedata.normalize("NFKC", letter.translate(_ALIKE)), len(letter)) for letter in letters)
    return None if "".join(piece for piece, _ in pieces) == run else pieces


_cached_respelling = lru_cache(maxsize=65536)(_respelled)


def _places(stretches: list[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    begins, ends = [], []
    at = 0
    for length, original in stretches:
        if original < 0:
            begins.append(np.arange(at, at + length))
            ends.append(begins[-1] + 1)
            at += length
        else:
            begins.append(np.full(length, at))
            ends.append(np.full(length, at + original))
            at += original
    return np.concatenate(begins), np.concatenate(ends)
