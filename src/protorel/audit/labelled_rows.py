"""The labelled statements of a data set: their rows, and relation and sentence of each as a number."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from protorel.statements import BadInput, DataSet, Statement, normal


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """Statements with a label, in the order of the data."""

    statements: Sequence[Statement]
    rows: NDArray[np.int64]
    """The row of each in the data, unlabelled statements counted."""
    relations: tuple[str, ...]
    """The labels, sorted."""
    labels: NDArray[np.int64]
    """The relation of each statement."""
    sentences: NDArray[np.int64]
    """The sentence of each: equal for statements whose texts are equal but for case and white space."""
    unlabelled: int

    @classmethod
    def of(cls, data: DataSet) -> Self:
        """Read the labelled statements.

        Raises:
            BadInput: there is no label, or only one relation, so that no other could fit better.
        """
        statements: list[Statement] = []
        rows: list[int] = []
        sentences: dict[str, int] = {}
        sentence_of: list[int] = []
        row = -1
        for row, statement in enumerate(data.source()):
            if statement.relation is not None:
                statements.append(statement)
                rows.append(row)
                sentence_of.append(sentences.setdefault(normal(statement.text), len(sentences)))
        where = data.path or data.name
        if not statements:
            found = f"{row + 1} statements without a label" if row >= 0 else "no statements"
            raise BadInput(f"{where}: expected labelled statements, got {found}")
        names = tuple(sorted({str(one.relation) for one in statements}))
        if len(names) < 2:
            counted = f"{len(statements)} statement{'s' * (len(statements) > 1)}"
            raise BadInput(
                f"{where}: expected statements of at least 2 relations, to compare them, got {counted} of one. "
                "Add statements of other relations."
            )
        number = {name: place for place, name in enumerate(names)}
        return cls(
            statements,
            np.asarray(rows, dtype=np.int64),
            names,
            np.asarray([number[str(one.relation)] for one in statements], dtype=np.int64),
            np.asarray(sentence_of, dtype=np.int64),
            unlabelled=row + 1 - len(statements),
        )

    def __len__(self) -> int:
        return len(self.statements)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of statements of each relation."""
        return np.bincount(self.labels, minlength=len(self.relations))

    def folds(self, count: int, *, seed: int) -> NDArray[np.int64]:
        """Return the fold of each statement; statements with the same sentence are in the same fold.

        A sentence with two labels would otherwise be graded by a classifier that was fitted to the same sentence.
        """
        salt = str(seed).encode()
        fold = np.asarray([_hash(salt, one) % count for one in range(int(self.sentences.max()) + 1)], dtype=np.int64)
        return fold[self.sentences]


def _hash(salt: bytes, number: int) -> int:
    return int.from_bytes(hashlib.blake2b(number.to_bytes(8, "big"), digest_size=8, salt=salt[:16]).digest(), "big")
