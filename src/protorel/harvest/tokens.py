"""The tokens of many texts at once, as numbers: where each stands, and a hash that is equal for equal tokens.

A token is a run of letters, digits and marks, or any other character that is no space; scripts that are written
without spaces have a token for each character. Nothing here is done token by token: a text is an array of code points,
a hash is a difference of two running sums. That is what makes a gazetteer of millions of names fast in Python.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from protorel.harvest.spelling import spell

Hashes = NDArray[np.uint64]

SPACE, WORD, CAPITAL, ALONE = 0, 1, 2, 3
"""What a character is: white space, part of a word, a capital letter (also part of a word), or a token by itself."""

# Odd, so that every power has an inverse among the 64-bit numbers.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 2**64)
# Han, kana and the scripts of South-East Asia: their words are not parted by spaces.
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF))
_UNSPACED_BEYOND = (0x20000, 0x3FFFF)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a list of texts, in order."""

    hashes: Hashes
    texts: NDArray[np.int64]
    """Which text each token stands in."""
    starts: NDArray[np.int64]
    """Characters of that text as it was given, whatever its spelling."""
    stops: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    """What the first character of each token is."""

    def __len__(self) -> int:
        return len(self.hashes)

    def of_texts(self, chosen: NDArray[np.bool_]) -> Tokens:
        """Return the tokens of the chosen texts; texts keep their numbers."""
        kept = chosen[self.texts]
        return Tokens(*(getattr(self, name)[kept] for name in self.__slots__))


def tokenise(texts: Sequence[str]) -> Tokens:
    """Return the tokens of all texts; offsets slice each text as it was given."""
    lengths = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
    # A line feed between two texts: no token reaches from one into the next.
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
    """Spread numbers over all 64 bits, so that sums and shifts of them do not meet (the finaliser of splitmix64)."""
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
    """A number for each code point; sums of neighbours in the alphabet must not meet, so they are mixed."""
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
