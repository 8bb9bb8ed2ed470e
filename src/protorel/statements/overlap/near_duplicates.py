"""Near-duplicate sentences: MinHash proposes, the exact Jaccard similarity decides."""

from __future__ import annotations

import hashlib
import random
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from protorel.statements.normal_text import normal
from protorel.statements.types import Statement


@dataclass(frozen=True, slots=True)
class NearDuplicateSettings:
    """The definition of a near-duplicate, and the size of the index.

    With 32 bands of 4 hashes, a pair exactly at the threshold is missed once in about 6,500 times, a pair at 0.8 once
    in 20 million. Nothing below the threshold is reported.
    """

    threshold: float = 0.7
    """The smallest Jaccard similarity of the two sets of shingles."""
    shingle: int = 5
    """Characters in a shingle, white space not counted."""
    permutations: int = 128
    bands: int = 32
    seed: int = 1


DEFAULT_SETTINGS = NearDuplicateSettings()


class NearDuplicates:
    """Finds the sentences of a test set that a training sentence nearly repeats."""

    def __init__(self, settings: NearDuplicateSettings = DEFAULT_SETTINGS) -> None:
        import datasketch  # takes a second to load

        self.settings = settings
        # CRC-32 takes a third of the time of SHA-1, the default; a collision only proposes one more pair.
        self._hashes = datasketch.MinHash(num_perm=settings.permutations, seed=settings.seed, hashfunc=zlib.crc32)
        # The index draws a random name for a database that we do not use: restore the caller's random state.
        state = random.getstate()
        bands = (settings.bands, settings.permutations // settings.bands)
        self._index = datasketch.MinHashLSH(num_perm=settings.permutations, params=bands)
        random.setstate(state)
        self._sentences: list[str] = []
        self._rows: list[list[int]] = []
        self._number: dict[str, int] = {}
        self._known: dict[bytes, tuple[int, ...]] = {}

    def add(self, row: int, statement: Statement) -> None:
        """Add a statement of the test set."""
        sentence = normal(statement.text)
        number = self._number.setdefault(sentence, len(self._sentences))
        if number == len(self._sentences):
            self._sentences.append(sentence)
            self._rows.append([])
            self._index.insert(number, self._hashed(self._shingles(sentence)), check_duplication=False)
        self._rows[number].append(row)

    def find(self, statement: Statement) -> tuple[bytes, Sequence[int]] | None:
        """Return a key of the sentence and the test rows that it nearly repeats, if there are any."""
        sentence = normal(statement.text)
        # Distantly labelled data repeat a sentence for many pairs: look it up once.
        key = hashlib.blake2b(sentence.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key not in self._known:
            self._known[key] = self._look_up(sentence)
        rows = [row for number in self._known[key] for row in self._rows[number]]
        return (key, rows) if rows else None

    def likeness(self, one: Statement, other: Statement) -> float:
        """Return the Jaccard similarity of two sentences' shingles, between 0 and 1."""
        return _jaccard(self._shingles(normal(one.text)), self._shingles(normal(other.text)))

    def _look_up(self, sentence: str) -> tuple[int, ...]:
        shingles = self._shingles(sentence)
        proposed: Iterable[int] = sorted(self._index.query(self._hashed(shingles)))
        least = self.settings.threshold
        return tuple(n for n in proposed if _jaccard(shingles, self._shingles(self._sentences[n])) >= least)

    def _shingles(self, sentence: str) -> set[str]:
        length = self.settings.shingle
        return {sentence[start : start + length] for start in range(max(1, len(sentence) - length + 1))}

    def _hashed(self, shingles: Iterable[str]) -> Any:
        hashes = self._hashes.copy()
        hashes.update_batch([shingle.encode("utf-8", "surrogatepass") for shingle in shingles])
        return hashes


def _jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)
