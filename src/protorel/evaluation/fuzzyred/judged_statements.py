"""Statements that people judged: does the text express its label?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protorel.statements import BadInput, Statement


@dataclass(frozen=True, slots=True)
class Judged:
    """Labelled statements, whether each label is true, and the rows of each relation."""

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
    """Collect judged statements by relation.

    Args:
        statements: Statements with a label and `expresses`.
        where: The name of the data, for messages.

    Returns:
        The statements, the truth of their labels, and the rows of each relation.

    Raises:
        BadInput: There are no statements, or one has no label or no `expresses`.

    Example:
        >>> from protorel.statements import Span
        >>> ada = Statement("Ada left Lunsk.", Span(0, 3), Span(9, 14), "born_in", expresses=False)
        >>> judged([ada], "mine").truth.tolist()
        [False]
    """
    by_relation: dict[str, list[int]] = {}
    for row, statement in enumerate(statements):
        if statement.relation is None or statement.expresses is None:
            missing = "a label" if statement.relation is None else "`expresses` (whether the text expresses its label)"
            raise BadInput(f"{where}: statement {statement.id or row!r}: expected {missing}, got none")
        by_relation.setdefault(statement.relation, []).append(row)
    if not by_relation:
        raise BadInput(f"{where}: expected judged statements, got none")
    truth = np.asarray([bool(statement.expresses) for statement in statements])
    rows = {name: np.asarray(by_relation[name], dtype=np.int64) for name in sorted(by_relation)}
    return Judged(tuple(statements), truth, rows)
