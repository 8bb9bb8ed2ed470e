"""Statements that people judged: those that express their label, and those that only carry it, relation by relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.statements import BadInput, Statement


@dataclass(frozen=True, slots=True)
class Judged:
    """Labelled statements with their truth, and the rows of each relation."""

    statements: tuple[Statement, ...]
    truth: NDArray[np.bool_]
    rows: dict[str, NDArray[np.int64]]
    """The rows of each relation, the relations sorted by name."""

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations, sorted."""
        return tuple(self.rows)

    def true_rows(self, relation: str) -> NDArray[np.int64]:
        """Return the rows whose text expresses the relation."""
        rows = self.rows[relation]
        return rows[self.truth[rows]]


def judged(statements: Sequence[Statement], where: str) -> Judged:
    """Take statements that all carry a label and somebody's word on it; the first that does not is named."""
    by_relation: dict[str, list[int]] = {}
    for row, statement in enumerate(statements):
        if statement.relation is None or statement.expresses is None:
            lack = "label" if statement.relation is None else "word on whether its text expresses it (`expresses`)"
            raise BadInput(f"{where}: statement {statement.id or row!r} has no {lack}; FuzzyRED has both for each")
        by_relation.setdefault(statement.relation, []).append(row)
    if not by_relation:
        raise BadInput(f"{where}: holds no statement, judged ones are wanted")
    truth = np.asarray([bool(statement.expresses) for statement in statements])
    rows = {name: np.asarray(by_relation[name], dtype=np.int64) for name in sorted(by_relation)}
    return Judged(tuple(statements), truth, rows)
