"""Choosing mentions among overlapping names: the leftmost, then the longest, and no parts of hyphenated words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from protorel.harvest.gazetteer.phrase_table import Runs
from protorel.harvest.gazetteer.tokens import ALONE, CAPITAL, Hashes, Tokens, tokenise


@dataclass(frozen=True, slots=True)
class Taken:
    """Runs of tokens chosen as mentions, with their hashes in the page's table and in the gazetteer; 0 for none."""

    first: NDArray[np.int64]
    count: NDArray[np.int64]
    page_hashes: Hashes
    name_hashes: Hashes

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Taken:
        """Return the chosen ones."""
        return Taken(*(getattr(self, name)[chosen] for name in self.__slots__))

    def overlapping(self, covered: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which runs share a token with the ranges given to `covered_by`."""
        shared: NDArray[np.bool_] = covered[self.first + self.count] > covered[self.first]
        return shared


def covered_by(tokens: Tokens, ranges: Sequence[tuple[int, int, int]]) -> NDArray[np.int64]:
    """Return the running count of tokens inside the ranges (text, start, stop); ranges must not overlap."""
    under = np.zeros(len(tokens) + 1, dtype=np.int64)
    texts = [text for text, _, _ in ranges]
    lows, highs = (np.searchsorted(tokens.texts, texts, side=side).tolist() for side in ("left", "right"))
    for (_, start, stop), low, high in zip(ranges, lows, highs, strict=True):
        begin = low + int(np.searchsorted(tokens.stops[low:high], start, side="right"))
        end = low + int(np.searchsorted(tokens.starts[low:high], stop))
        under[begin + 1 : end + 1] = 1
    return np.cumsum(under)


def leftmost_longest(tokens: Tokens, by_page: Runs, by_name: Runs, covered: NDArray[np.int64]) -> Taken:
    """Choose among overlapping runs the one that begins first, then the longer one; none that touches a link."""
    count = np.zeros(len(tokens), dtype=np.int64)
    page_hashes, name_hashes = (np.zeros(len(tokens), dtype=np.uint64) for _ in range(2))
    count[by_name.first] = by_name.count
    name_hashes[by_name.first] = by_name.hashes
    longer = by_page.count >= count[by_page.first]
    at, length = by_page.first[longer], by_page.count[longer]
    name_hashes[at[length > count[at]]] = 0
    count[at] = length
    page_hashes[at] = by_page.hashes[longer]
    first = np.flatnonzero(count)
    first = first[covered[first + count[first]] == covered[first]]
    taken = []
    free = 0
    for place, length_here in zip(first.tolist(), count[first].tolist(), strict=True):
        if place >= free:
            taken.append(place)
            free = place + length_here
    chosen = np.array(taken, dtype=np.int64)
    return Taken(chosen, count[chosen], page_hashes[chosen], name_hashes[chosen])


def hyphenated(tokens: Tokens, first: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which runs are part of a word: `Kroll` in `Kroll-Tarn` or `anti-Kroll`, not `Lunsk` in `Lunsk-born`."""
    last = len(tokens) - 1
    gapless = np.zeros(len(tokens) + 1, dtype=bool)
    gapless[1:-1] = (tokens.texts[1:] == tokens.texts[:-1]) & (tokens.starts[1:] == tokens.stops[:-1])
    hyphen = (tokens.hashes == _hyphen()) & gapless[:-1] & gapless[1:]
    word = tokens.kinds != ALONE
    before, behind = np.maximum(first - 1, 0), np.minimum(first + count, last)
    left = (first > 1) & hyphen[before] & word[np.maximum(first - 2, 0)]
    right = (first + count < last) & hyphen[behind] & (tokens.kinds[np.minimum(behind + 1, last)] == CAPITAL)
    halves: NDArray[np.bool_] = left | right
    return halves


@lru_cache(maxsize=1)
def _hyphen() -> np.uint64:
    hyphen: np.uint64 = tokenise(["-"]).hashes[0]
    return hyphen
