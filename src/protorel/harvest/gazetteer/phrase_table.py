"""A set of token sequences in one flat hash table, which finds the longest match at every token.

Every prefix of a sequence is one 64-bit number: 62 bits of its hash, one bit if a sequence ends here, one bit if a
longer one goes on. No text is stored: in a table of four million, two different sequences collide with a probability
of about 10^-12.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.harvest.gazetteer.tokens import Hashes, Tokens, mixed

_ENDS, _GOES_ON = np.uint64(1), np.uint64(2)
_FLAGS = np.uint64(3)
_STEP = np.uint64(0xD1342543DE82EF95)
_FULLNESS = 0.6
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of tokens that were found, ordered by first token; at most one per token, the longest."""

    first: NDArray[np.int64]
    """The number of the first token."""
    count: NDArray[np.int64]
    hashes: Hashes
    """The hash of the run, equal to `sequence_hashes` of the sequence."""

    def only(self, chosen: NDArray[np.bool_]) -> Runs:
        """Return the chosen ones."""
        return Runs(self.first[chosen], self.count[chosen], self.hashes[chosen])


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """A set of token sequences that can be looked up at every token of a text at once."""

    cells: Hashes
    places: int
    """The number of home cells; a few more follow for hashes whose home was taken."""
    longest: int

    @classmethod
    def of(cls, tokens: Tokens, *, seeds: Hashes | None = None) -> PhraseTable:
        """Build a table with each text as one sequence; `seeds`, one per text, separate sets that share a table."""
        beginnings = []
        longest = 0
        for count, first, hashes, ends in _beginnings(tokens, seeds):
            longest = count if len(first) else longest
            beginnings.append((hashes & ~_FLAGS) | np.where(ends, _ENDS, _GOES_ON))
        every = np.concatenate(beginnings) if beginnings else np.zeros(0, np.uint64)
        return cls.of_beginnings(every, longest=longest)

    @classmethod
    def of_beginnings(cls, beginnings: Hashes, *, longest: int) -> PhraseTable:
        """Lay out flagged hashes, which may repeat, so that each is at its home or close behind it."""
        ordered = np.sort(beginnings)
        keys = ordered & ~_FLAGS
        new = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, np.int64)
        merged = np.bitwise_or.reduceat(ordered, new) if len(new) else ordered
        del ordered, keys, new
        places = max(1, int(len(merged) / _FULLNESS))
        # A larger hash has a later home, so the sorted order is also the order of the homes.
        at = _homes(merged, places)
        # In place: for a hundred million names each such array is large.
        behind = np.arange(len(merged))
        at -= behind
        np.maximum.accumulate(at, out=at)
        at += behind
        cells = np.zeros(max(places, int(at[-1]) + 1 if len(at) else 0) + 1, dtype=np.uint64)
        cells[at] = merged
        return cls(cells, places, longest)

    def find(self, tokens: Tokens, *, seeds: Hashes | None = None) -> Runs:
        """Return the longest sequence of the set that begins at each token; none reaches from one text into another."""
        count = np.zeros(len(tokens), dtype=np.int64)
        whole = np.zeros(len(tokens), dtype=np.uint64)
        at = np.arange(len(tokens))
        running = np.zeros(len(tokens), dtype=np.uint64) if seeds is None else seeds[tokens.texts]
        for length in range(1, self.longest + 1):
            running = step(running, tokens.hashes[at + length - 1])
            flags = self._flags(running)
            ends = (flags & _ENDS) != 0
            count[at[ends]] = length
            whole[at[ends]] = running[ends]
            on = np.flatnonzero((flags & _GOES_ON) != 0)
            on = on[at[on] + length < len(tokens)]
            on = on[tokens.texts[at[on] + length] == tokens.texts[at[on]]]
            at, running = at[on], running[on]
            if not len(at):
                break
        first = np.flatnonzero(count)
        return Runs(first, count[first], whole[first])

    def _flags(self, hashes: Hashes) -> Hashes:
        """Return the flags of each hash; 0 if it is not in the table."""
        flags = np.zeros(len(hashes), dtype=np.uint64)
        sought = hashes & ~_FLAGS
        at = _homes(hashes, self.places)
        left = np.arange(len(hashes))
        while len(left):
            cells = self.cells[at]
            met = (cells & ~_FLAGS) == sought
            hit = met & (cells != 0)
            flags[left[hit]] = cells[hit] & _FLAGS
            # Cells are ordered by hash: after a larger one the search can stop.
            on = np.flatnonzero((cells != 0) & ((cells & ~_FLAGS) < sought))
            left, at, sought = left[on], at[on] + 1, sought[on]
        return flags


def step(running: Hashes, token: Hashes) -> Hashes:
    """Return the hash of a sequence from the hash of its prefix and its last token."""
    return mixed(running * _STEP + token)


def sequence_hashes(tokens: Tokens, *, texts: int, seeds: Hashes | None = None) -> Hashes:
    """Return the hash of each text as one sequence; 0 for a text without tokens."""
    whole = np.zeros(texts, dtype=np.uint64)
    for _, first, hashes, ends in _beginnings(tokens, seeds):
        whole[tokens.texts[first[ends]]] = hashes[ends]
    return whole


def token_counts(tokens: Tokens, *, texts: int) -> NDArray[np.int64]:
    """Return how many tokens each text has."""
    return np.bincount(tokens.texts, minlength=texts)


def _beginnings(
    tokens: Tokens, seeds: Hashes | None
) -> Iterator[tuple[int, NDArray[np.int64], Hashes, NDArray[np.bool_]]]:
    """Yield, per length, the texts that are long enough: first tokens, hashes of prefixes, which texts end there."""
    if not len(tokens):
        return
    new = np.concatenate([[True], tokens.texts[1:] != tokens.texts[:-1]])
    first = np.flatnonzero(new)
    stops = np.append(first[1:], len(tokens))
    running = np.zeros(len(first), dtype=np.uint64) if seeds is None else seeds[tokens.texts[first]]
    length = 0
    while len(first):
        running = step(running, tokens.hashes[first + length])
        length += 1
        ends = first + length == stops
        yield length, first, running, ends
        first, stops, running = first[~ends], stops[~ends], running[~ends]


def _homes(hashes: Hashes, places: int) -> NDArray[np.int64]:
    return (((hashes >> _HALF) * np.uint64(places)) >> _HALF).astype(np.int64)
