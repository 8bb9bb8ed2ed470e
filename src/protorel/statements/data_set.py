"""A data set with a name: results and records call it by that name, never by its path."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.statements.accepted_inputs import StatementsLike, as_statements
from protorel.statements.parquet_files import check_parquet
from protorel.statements.selection import StatementSource
from protorel.statements.storage import fingerprint, iter_statements


@dataclass(frozen=True, slots=True)
class DataSet:
    """Statements that can be read from the beginning any number of times, and the name of their file."""

    name: str
    source: StatementSource
    path: Path | None = None
    """Where they come from, so that nothing is written over them."""

    @classmethod
    def at(cls, path: Path | str) -> DataSet:
        """Return the data set of a Parquet file, or of a folder of parts, without reading it yet."""
        place = Path(path)
        check_parquet(place)
        return cls(place.resolve().name, lambda: iter_statements(place), place)

    @classmethod
    def of(cls, name: str, statements: StatementsLike, path: Path | None = None) -> DataSet:
        """Return a data set in memory, from statements in any form that `as_statements` accepts."""
        held = as_statements(statements, where=name)
        return cls(name, lambda: held, path)

    def described(self) -> dict[str, Any]:
        """Return name, fingerprint, and the numbers of statements and relations."""
        labels = Counter(statement.relation for statement in self.source())
        return {
            "name": self.name,
            "fingerprint": fingerprint(self.source()),
            "statements": labels.total(),
            "relations": len(labels.keys() - {None}),
        }
