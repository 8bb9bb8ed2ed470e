"""Leakage: what a training set shares with a test set, and what remains without it.

Four kinds of things leak: a relation with the same meaning; a pair of entities, in either order; a sentence, whichever
pair is marked in it; and a near-duplicate of a sentence. The remainder has no statement that shares any of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from protorel.io import BadInput, check_type, short_value
from protorel.statements.accepted_inputs import StatementsLike, as_statements, iter_accepted
from protorel.statements.entity_pairs import PairIndex
from protorel.statements.equivalents import Equivalents, load_equivalents
from protorel.statements.normal_text import normal
from protorel.statements.overlap.leakage_result import Example, Leakage, Shared, SharedRelation
from protorel.statements.overlap.near_duplicates import DEFAULT_SETTINGS, NearDuplicates, NearDuplicateSettings
from protorel.statements.types import Statement

KINDS = ("relations", "pairs", "sentences", "near_duplicates")
"""The kinds of overlap. Those of a statement are the bits of one byte; the first kind is 1."""
EXAMPLES = 5
"""The number of examples to keep per kind."""


def find_leakage(
    train: StatementsLike,
    test: StatementsLike,
    *,
    equivalents: Equivalents | None = None,
    settings: NearDuplicateSettings = DEFAULT_SETTINGS,
    kinds: Collection[str] = KINDS,
) -> Leakage:
    """Return what a training set shares with a test set.

    Args:
        train: Statements in any form that `as_statements` accepts; read once, one statement at a time.
        test: The same; held in memory.
        equivalents: Which relations mean the same; by default the table that comes with the package.
        settings: The definition of a near-duplicate.
        kinds: The kinds of overlap to look for, of `KINDS`. Shared relations are listed in any case.

    Returns:
        Counts and examples of each kind, and which training statements share nothing.

    Raises:
        BadInput: a row is not a statement, or a kind is unknown.

    >>> train = [{"text": "Ada Kroll was born in Lunsk.", "head": "Ada Kroll", "tail": "Lunsk", "relation": "P19"}]
    >>> test = [{"text": "Lunsk honours Ada Kroll.", "head": "Lunsk", "tail": "Ada Kroll"}]
    >>> find_leakage(train, test).shared["pairs"].train
    1
    """
    meanings = load_equivalents() if equivalents is None else equivalents
    check_type(meanings, Equivalents, where="equivalents", expected="what load_equivalents returns")
    check_type(settings, NearDuplicateSettings, where="settings", expected="NearDuplicateSettings")
    if isinstance(kinds, str) or not isinstance(kinds, Collection) or any(kind not in KINDS for kind in kinds):
        raise BadInput(f"kinds: expected some of {', '.join(KINDS)}, got {short_value(kinds)}")
    tested = as_statements(test, where="test")
    return _Comparison(tested, meanings, settings, kinds).of(iter_accepted(train, where="train"))


class _Index(Protocol):
    """Finds the test rows that share one kind of thing with a training statement."""

    def add(self, row: int, statement: Statement) -> None: ...

    def find(self, statement: Statement) -> tuple[Hashable, Sequence[int]] | None: ...


class _Relations:
    """Test rows by relation; relations are compared by meaning."""

    def __init__(self, equivalents: Equivalents) -> None:
        self.equivalents = equivalents
        self.rows: dict[str, list[int]] = {}
        self._known: dict[str, list[int]] = {}

    def add(self, row: int, statement: Statement) -> None:
        if statement.relation is not None:
            self.rows.setdefault(statement.relation, []).append(row)

    def find(self, statement: Statement) -> tuple[str, Sequence[int]] | None:
        relation = statement.relation
        if relation is None:
            return None
        if relation not in self._known:
            same = self.equivalents.among(self.rows, [relation])
            self._known[relation] = [row for other in same for row in self.rows[other]]
        return (relation, self._known[relation]) if self._known[relation] else None


class _Sentences:
    """Test rows by their sentence."""

    def __init__(self) -> None:
        self._rows: dict[str, list[int]] = {}

    def add(self, row: int, statement: Statement) -> None:
        self._rows.setdefault(normal(statement.text), []).append(row)

    def find(self, statement: Statement) -> tuple[str, Sequence[int]] | None:
        sentence = normal(statement.text)
        return (sentence, self._rows[sentence]) if sentence in self._rows else None


class _Found:
    """The overlap of one kind, in the training statements so far."""

    def __init__(self) -> None:
        self.things: dict[Hashable, Sequence[int]] = {}
        self.train = 0
        self.test: set[int] = set()
        self.examples: list[Example] = []

    def add(self, thing: Hashable, rows: Sequence[int]) -> bool:
        """Count a statement; return whether the thing that it shares is new."""
        self.train += 1
        is_new = thing not in self.things
        if is_new or self.things[thing] is not rows:
            self.things[thing] = rows
            self.test.update(rows)
        return is_new


class _Comparison:
    """An indexed test set, with which training statements are compared one by one."""

    def __init__(
        self,
        test: Sequence[Statement],
        equivalents: Equivalents,
        settings: NearDuplicateSettings,
        kinds: Collection[str],
    ) -> None:
        self.test = test
        self.relations = _Relations(equivalents)
        self.near = NearDuplicates(settings)
        indices: tuple[_Index, ...] = (self.relations, PairIndex(), _Sentences(), self.near)
        self.indices = {kind: index for kind, index in zip(KINDS, indices, strict=True) if kind in kinds}
        for row, statement in enumerate(test):
            for index in indices:
                index.add(row, statement)

    def of(self, train: Iterable[Statement]) -> Leakage:
        found = {kind: _Found() for kind in self.indices}
        reasons = bytearray()
        labels: Counter[str | None] = Counter()
        left: set[str | None] = set()
        for statement in train:
            reasons.append(self._reasons(statement, found))
            labels[statement.relation] += 1
            if not reasons[-1]:
                left.add(statement.relation)
        touched: set[int] = set().union(*(kind.test for kind in found.values()))
        return Leakage(
            train=len(reasons),
            test=len(self.test),
            shared={kind: Shared(len(one.things), one.train, len(one.test)) for kind, one in found.items()},
            relations=tuple(self._shared_relations(labels)),
            examples={kind: tuple(one.examples) for kind, one in found.items()},
            reasons=bytes(reasons),
            touched=len(touched),
            relations_left=len(left - {None}),
        )

    def _reasons(self, statement: Statement, found: Mapping[str, _Found]) -> int:
        reasons = 0
        for kind, index in self.indices.items():
            # An exact copy of a test sentence need not be compared with the others.
            if kind == "near_duplicates" and reasons & 1 << KINDS.index("sentences"):
                continue
            if match := index.find(statement):
                reasons |= 1 << KINDS.index(kind)
                if found[kind].add(*match) and len(found[kind].examples) < EXAMPLES:
                    found[kind].examples.append(self._example(kind, statement, self.test[match[1][0]]))
        return reasons

    def _example(self, kind: str, train: Statement, test: Statement) -> Example:
        return Example(train, test, self.near.likeness(train, test) if kind == "near_duplicates" else None)

    def _shared_relations(self, labels: Mapping[str | None, int]) -> Iterator[SharedRelation]:
        for relation in sorted(label for label in labels if label is not None):
            for other in self.relations.equivalents.among(self.relations.rows, [relation]):
                yield SharedRelation(relation, other, labels[relation], len(self.relations.rows[other]))
