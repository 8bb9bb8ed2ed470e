"""Choosing mentions: of overlapping names the leftmost, then the longest; no parts of words or of longer names."""

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


def inside_longer_name(
    tokens: Tokens, first: NDArray[np.int64], count: NDArray[np.int64], linked: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which capitalised runs are part of a longer name: `Ford` in `Harrison Ford` or `Gerald R. Ford`.

    A capitalised word right before or behind a run continues it, but for titles, months and days. What begins or ends
    where a link does is complete. A sentence begins with a capital anyway: there a longer run stands for itself, and a
    single word too if the word before it is one of those that begin sentences. `linked` is what `covered_by` returned
    for the links of the texts.
    """
    if not len(first):
        return np.zeros(0, dtype=bool)
    last = len(tokens) - 1
    before, behind, end = np.maximum(first - 1, 0), np.minimum(first + count, last), first + count - 1
    spaced = np.zeros(len(tokens) + 1, dtype=bool)
    spaced[1:-1] = (tokens.texts[1:] == tokens.texts[:-1]) & (tokens.starts[1:] > tokens.stops[:-1])
    under = np.diff(linked) > 0
    capital = tokens.kinds == CAPITAL
    single = count == 1
    opens = np.ones(len(tokens), dtype=bool)
    opens[1:] = tokens.texts[1:] != tokens.texts[:-1]
    titles, apart = (np.isin(tokens.hashes, hashes) for hashes in _words_around_names())
    goes_on = (first + count <= last) & spaced[behind] & capital[end] & capital[behind] & (under[end] == under[behind])
    right = goes_on & ~titles[behind] & ~apart[behind]
    goes_before = (first > 0) & spaced[first] & capital[first] & capital[before] & (under[first] == under[before])
    left = goes_before & ~apart[before] & (single | ~(titles[before] | opens[before]))
    initial = (first > 1) & spaced[first] & capital[first] & _ends_initial(tokens)[before]
    inside: NDArray[np.bool_] = right | left | initial
    return inside


def _ends_initial(tokens: Tokens) -> NDArray[np.bool_]:
    """Return which tokens are the full stop of an initial, as in `Gerald R. Ford`."""
    found = np.zeros(len(tokens), dtype=bool)
    joined = (tokens.texts[1:] == tokens.texts[:-1]) & (tokens.starts[1:] == tokens.stops[:-1])
    letter = (tokens.kinds == CAPITAL) & (tokens.stops - tokens.starts == 1)
    found[1:] = joined & (tokens.hashes[1:] == _full_stop()) & letter[:-1]
    return found


_TITLES = (
    "Admiral Ambassador Archbishop Baron Baroness Bishop Brother Captain Cardinal Chairman Chancellor Colonel "
    "Commander Count Countess Crown Dame Director Doctor Dr Duchess Duke Emperor Empress Father General Governor "
    "Judge Justice King Lady Lieutenant Lord Major Marshal Mayor Minister Mother Mr Mrs Ms Pope Premier President "
    "Prime Prince Princess Professor Queen Rabbi Reverend Saint Secretary Senator Sergeant Sir Sister St Sultan "
    "Tsar Vice"
)
"""Before a name of several words, or behind the name of a place, these are no part of it."""
_APART = (
    "A About Above According Across After Against All Along Although Among An And Another Any As At Because "
    "Before Behind Below Beside Besides Between Beyond Both But By Despite During Each Either Even Every "
    "Following For From Given He Her Here His How However I If In Including Inside Into Is It Its Later Like Many "
    "More Most Much Near Neither No Nor Not Now Of Off On Once One Only Or Other Our Out Outside Over Per Several "
    "She Since So Some Still Such Than That The Their Then There These They This Those Though Through Throughout "
    "Thus To Today Toward Towards Two Under Unlike Until Up Upon Via Was We What When Whereas Where Whether Which "
    "While Who Whose Why With Within Without Yesterday Yet You Your January February March April May June July "
    "August September October November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday "
    "Currently Eventually Finally Formerly Initially Originally Previously Recently Similarly Subsequently"
)
"""Words that begin sentences, months and days: next to a name, never a part of it."""


@lru_cache(maxsize=1)
def _words_around_names() -> tuple[Hashes, Hashes]:
    return tokenise(_TITLES.split()).hashes, tokenise(_APART.split()).hashes


@lru_cache(maxsize=1)
def _full_stop() -> np.uint64:
    stop: np.uint64 = tokenise(["."]).hashes[0]
    return stop


@lru_cache(maxsize=1)
def _hyphen() -> np.uint64:
    hyphen: np.uint64 = tokenise(["-"]).hashes[0]
    return hyphen
