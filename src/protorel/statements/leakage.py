"""Leakage: what a training set shares with a test set, and what is left of it without that.

Four things leak. A relation, if it means the same; a pair of entities, in either order; a sentence, whatever pair it
marks; and a sentence that nearly repeats one. A training statement that shares any of them is not in the remainder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from protorel.statements.accepted_inputs import StatementsLike, iter_accepted
from protorel.statements.types import Statement

KINDS = ("relations", "pairs", "sentences", "near_duplicates")
"""What can be shared. A statement's reasons are the bits of one byte, the first kind being 1."""


@dataclass(frozen=True, slots=True)
class Shared:
    """How much of one kind is shared: different things, and the statements on either side that hold one."""

    things: int
    train: int
    test: int


@dataclass(frozen=True, slots=True)
class SharedRelation:
    """Two names with one meaning, and how many statements carry each."""

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
    """Of near-duplicates: the share of shingles that they have in common."""


@dataclass(frozen=True, slots=True)
class Leakage:
    """What a training set shares with a test set."""

    train: int
    """How many statements the training set has."""
    test: int
    shared: Mapping[str, Shared]
    """By kind."""
    relations: tuple[SharedRelation, ...]
    examples: Mapping[str, tuple[Example, ...]] = field(repr=False)
    reasons: bytes = field(repr=False)
    """For each training statement the kinds that it shares; 0 for those that may stay."""
    touched: int
    """How many test statements share something."""
    relations_left: int
    """How many relations have a training statement that shares nothing."""

    @property
    def removed(self) -> int:
        """How many training statements share something."""
        return self.train - self.left

    @property
    def left(self) -> int:
        """How many training statements share nothing."""
        return self.reasons.count(0)

    def remainder(self, train: StatementsLike) -> Iterator[Statement]:
        """Yield the training statements that share nothing; `train` must be those that were compared."""
        return (one for one, reason in zip(iter_accepted(train), self.reasons, strict=True) if not reason)

    def counts(self) -> dict[str, Any]:
        """Return all counts as plain numbers."""
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
