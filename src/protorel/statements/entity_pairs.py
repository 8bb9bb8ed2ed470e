"""The two entities of a statement, and an index of a test set by its pairs of entities."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from protorel.statements.normal_text import normal
from protorel.statements.types import Statement

EntityPair = tuple[str, str]
_KINDS = (("wikidata", re.compile(r"Q[1-9]\d*")), ("freebase", re.compile(r"/?[mg][./]\w+")))
_LOCAL = re.compile(r":\d+#\d+$")
"""The end of an id that counts the entities of one document, as in `dev:3#0`: no other document can share it."""


def entity_pair(statement: Statement) -> EntityPair:
    """Return head and tail by their ids if both have one, otherwise by their names."""
    if statement.head_id and statement.tail_id:
        return statement.head_id, statement.tail_id
    return _named_pair(statement)


def _named_pair(statement: Statement) -> EntityPair:
    """Return head and tail by their normalised names."""
    return normal(statement.head_text), normal(statement.tail_text)


class PairIndex:
    """Finds the test statements about the two entities of a training statement.

    Ids of different knowledge bases never agree, so such statements are compared by name, as are those without ids.
    """

    def __init__(self) -> None:
        self._by_id: defaultdict[EntityPair, list[int]] = defaultdict(list)
        self._by_name: defaultdict[str | None, defaultdict[EntityPair, list[int]]] = defaultdict(
            lambda: defaultdict(list)
        )

    def add(self, row: int, statement: Statement) -> None:
        """Add a statement of the test set."""
        if ids := _ids(statement):
            self._by_id[ids].append(row)
        self._by_name[_kind(ids)][_names(statement)].append(row)

    def find(self, statement: Statement) -> tuple[EntityPair, Sequence[int]] | None:
        """Return the pair and the test rows about it, if there are any."""
        ids, names = _ids(statement), _names(statement)
        kind = _kind(ids)
        rows = list(self._by_id.get(ids, ())) if ids else []
        shared = ids if ids and rows else names
        for other, named in self._by_name.items():
            if kind is None or other != kind:
                rows += named.get(names, ())
        return (shared, rows) if rows else None


def _names(statement: Statement) -> EntityPair:
    return _in_order(*_named_pair(statement))


def _ids(statement: Statement) -> EntityPair | None:
    head, tail = (statement.head_id or "").strip(), (statement.tail_id or "").strip()
    if not head or not tail or _LOCAL.search(head) or _LOCAL.search(tail):
        return None
    return _in_order(head, tail)


def _in_order(one: str, other: str) -> EntityPair:
    return (one, other) if one <= other else (other, one)


def _kind(ids: EntityPair | None) -> str | None:
    """Return the knowledge base of a pair's ids, or None without ids that other documents share."""
    if ids is None:
        return None
    kinds = {next((name for name, shape in _KINDS if shape.fullmatch(id)), "other") for id in ids}
    return "+".join(sorted(kinds))
