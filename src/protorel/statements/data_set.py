"""A data set with a name: what a comparison, a run's record and a result call it, never by its path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.statements.parquet_files import check_parquet
from protorel.statements.selection import StatementSource
from protorel.statements.storage import fingerprint, iter_statements
from protorel.statements.types import Statement


@dataclass(frozen=True, slots=True)
class DataSet:
    """Statements that can be read from the beginning as often as one likes, and the name of their file."""

    name: str
    source: StatementSource
    path: Path | None = None
    """Where they come from, so that nothing is written over them."""

    @classmethod
    def at(cls, path: Path | str) -> DataSet:
        """Take a Parquet file, or a folder of parts, without reading it yet."""
        place = Path(path)
        check_parquet(place)
        return cls(place.resolve().name, lambda: iter_statements(place), place)

    @classmethod
    def of(cls, name: str, statements: Iterable[Statement], path: Path | None = None) -> DataSet:
        """Take statements that are in memory."""
        held = list(statements)
        return cls(name, lambda: held, path)

    def described(self) -> dict[str, Any]:
        """Say which data this is: name, fingerprint, and how many statements and relations."""
        labels = Counter(statement.relation for statement in self.source())
        return {
            "name": self.name,
            "fingerprint": fingerprint(self.source()),
            "statements": labels.total(),
            "relations": len(labels.keys() - {None}),
        }
