"""The result of a comparison: what a training set shares with a test set, and what remains without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from protorel.io import BadInput
from protorel.statements.accepted_inputs import StatementsLike, iter_accepted
from protorel.statements.types import Statement


@dataclass(frozen=True, slots=True)
class Shared:
    """The overlap of one kind: distinct things, and the statements of either side that have one."""

    things: int
    train: int
    test: int


@dataclass(frozen=True, slots=True)
class SharedRelation:
    """Two names with one meaning, and the number of statements labelled with each."""

    train: str
    test: str
    train_statements: int
    test_statements: int


@dataclass(frozen=True, slots=True)
class Example:
    """A training statement and a test statement that share something."""

    train: Statement
    test: Statement
    likeness: float | None = None
    """For near-duplicates, the Jaccard similarity of their shingles."""


@dataclass(frozen=True, slots=True)
class Leakage:
    """What a training set shares with a test set; `find_leakage` returns it.

    >>> from protorel import find_leakage
    >>> train = [{"text": "Ada Kroll was born in Lunsk.", "head": "Ada Kroll", "tail": "Lunsk", "relation": "born_in"}]
    >>> test = [{"text": "Bela Tarn died in Mere.", "head": "Bela Tarn", "tail": "Mere", "relation": "died_in"}]
    >>> found = find_leakage(train, test)
    >>> found.removed, found.left, len(list(found.remainder(train)))
    (0, 1, 1)
    """

    train: int
    """Number of training statements."""
    test: int
    shared: Mapping[str, Shared]
    """By kind."""
    relations: tuple[SharedRelation, ...]
    examples: Mapping[str, tuple[Example, ...]] = field(repr=False)
    reasons: bytes = field(repr=False)
    """The kinds that each training statement shares; 0 for those that share nothing."""
    touched: int
    """Number of test statements that share something."""
    relations_left: int
    """Number of relations with a training statement that shares nothing."""

    @property
    def removed(self) -> int:
        """Number of training statements that share something."""
        return self.train - self.left

    @property
    def left(self) -> int:
        """Number of training statements that share nothing."""
        return self.reasons.count(0)

    def remainder(self, train: StatementsLike) -> Iterator[Statement]:
        """Yield the training statements that share nothing.

        Args:
            train: The statements that were compared, in the same order.

        Raises:
            BadInput: there are more or fewer statements than were compared.
        """
        count = 0
        for count, one in enumerate(iter_accepted(train, where="train"), start=1):
            if count > self.train:
                break
            if not self.reasons[count - 1]:
                yield one
        if count != self.train:
            found = "more" if count > self.train else str(count)
            raise BadInput(f"train: expected the {self.train} statements that were compared, got {found}")

    def counts(self) -> dict[str, Any]:
        """Return all counts, for JSON."""
        kinds = {
            kind: {"shared": found.things, "train_statements": found.train, "test_statements": found.test}
            for kind, found in self.shared.items()
        }
        any_of_them = {"train_statements": self.removed, "test_statements": self.touched}
        left = {"statements": self.left, "relations": self.relations_left}
        return {
            "train_statements": self.train,
            "test_statements": self.test,
            "shared": {**kinds, "any": any_of_them},
            "left": left,
        }
