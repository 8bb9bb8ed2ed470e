"""Which two entities a statement is about."""

from __future__ import annotations

from protorel.statements.normal_text import normal
from protorel.statements.types import Statement

EntityPair = tuple[str, str]


def entity_pair(statement: Statement) -> EntityPair:
    """Return head and tail by their knowledge-base ids where both have one, else by their names."""
    if statement.head_id and statement.tail_id:
        return statement.head_id, statement.tail_id
    return named_pair(statement)


def named_pair(statement: Statement) -> EntityPair:
    """Return head and tail by their names, whatever their case, spacing and Unicode spelling."""
    return normal(statement.head_text), normal(statement.tail_text)
