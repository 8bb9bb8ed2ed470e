"""Entity pairs with all their labels: several relations may hold for one pair in one text, or none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from protorel.io import BadInput
from protorel.statements.equivalents import Equivalents, load_equivalents
from protorel.statements.types import NO_RELATION, Statement


@dataclass(frozen=True, slots=True)
class LabelSets:
    """Statements that differ in text, head or tail, each with the relations that its labels say it holds."""

    statements: tuple[Statement, ...]
    labels: tuple[frozenset[str], ...]
    """The relations of each statement; empty where no relation holds."""

    def __len__(self) -> int:
        return len(self.statements)


def gather_labels(statements: Iterable[Statement], *, equivalents: Equivalents | None = None) -> LabelSets:
    """Join the statements of one pair in one text, which differ in their label alone.

    Args:
        statements: Labelled statements. A label such as `no_relation` or NA says that no relation holds.
        equivalents: Which labels mean no relation; by default those of our table.

    Returns:
        Each pair once, in the order of first occurrence.

    Raises:
        BadInput: a statement has no label.

    >>> text = "Ada Kroll was born and died in Lunsk."
    >>> rows = [Statement(text, (0, 9), (31, 36), "born_in"), Statement(text, (0, 9), (31, 36), "died_in")]
    >>> found = gather_labels([*rows, Statement(text, (31, 36), (0, 9), "no_relation")])
    >>> [sorted(labels) for labels in found.labels]
    [['born_in', 'died_in'], []]
    """
    table = load_equivalents() if equivalents is None else equivalents
    first: dict[bytes, Statement] = {}
    labels: dict[bytes, set[str]] = {}
    means_none: dict[str, bool] = {}
    for number, statement in enumerate(statements):
        relation = statement.relation
        if relation is None:
            raise BadInput(
                f"statement {statement.id or number}: expected a label, got none. "
                f"Label pairs without a relation {NO_RELATION}"
            )
        key = statement.key
        first.setdefault(key, statement)
        own = labels.setdefault(key, set())
        if relation not in means_none:
            means_none[relation] = not table.meaning(relation)
        if not means_none[relation]:
            own.add(relation)
    return LabelSets(tuple(first.values()), tuple(frozenset(labels[key]) for key in first))
