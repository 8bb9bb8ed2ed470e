"""Random choices that are the same on every machine and with every version of Python."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Chance:
    """Random choices from one stream of numbers, seeded by a name.

    Only `Random.random` is used: the one stream that Python guarantees never to change.

    >>> Chance("small world").pick("abc") == Chance("small world").pick("abc")
    True
    """

    def __init__(self, name: str) -> None:
        self._random = random.Random(name).random

    def pick(self, items: Sequence[Item]) -> Item:
        """Return one of the items, all with the same probability."""
        return items[int(self._random() * len(items))]

    def coin(self, share: float) -> bool:
        """Return True with probability `share`."""
        return self._random() < share

    def between(self, least: int, most: int) -> int:
        """Return a whole number from `least` to `most`, both included."""
        return least + int(self._random() * (most - least + 1))

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in a random order."""
        return [item for _, item in sorted(((self._random(), item) for item in items), key=lambda pair: pair[0])]
