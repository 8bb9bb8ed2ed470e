"""A data set with a name, and the Parquet files that make one up; nothing here loads pyarrow before a file is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.io import BadInput, check_source, is_folder, open_source
from protorel.statements.accepted_inputs import StatementsLike, as_statements
from protorel.statements.selection import StatementSource
from protorel.statements.types import Statement

_MAGIC = b"PAR1"
"""The first and the last bytes of every Parquet file."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """Statements that can be read from the beginning any number of times, and the name of their file."""

    name: str
    """What results and records call the data; they never give its path."""
    source: StatementSource
    path: Path | None = None
    """Where the statements come from, so that nothing overwrites them."""

    @classmethod
    def at(cls, path: Path | str) -> DataSet:
        """Return the data set of a Parquet file, or of a folder of parts, without reading it yet."""
        place = Path(path)
        check_parquet(place)
        return cls(place.resolve().name, lambda: _read(place), place)

    @classmethod
    def of(cls, name: str, statements: StatementsLike, path: Path | None = None) -> DataSet:
        """Return a data set in memory, from statements in any form that `as_statements` accepts."""
        held = as_statements(statements, where=name)
        return cls(name, lambda: held, path)

    def described(self) -> dict[str, Any]:
        """Return name, fingerprint, and the numbers of statements and relations."""
        from protorel.statements.storage import fingerprint

        labels = Counter(statement.relation for statement in self.source())
        return {
            "name": self.name,
            "fingerprint": fingerprint(self.source()),
            "statements": labels.total(),
            "relations": len(labels.keys() - {None}),
        }


def _read(path: Path) -> Iterator[Statement]:
    from protorel.statements.storage import iter_statements

    return iter_statements(path)


def parts_of(path: Path) -> list[Path]:
    """Return the Parquet files that make up one data set: the file itself, or a folder's parts in order."""
    if is_folder(path):
        parts = sorted(path.glob("*.parquet"))
        if not parts:
            raise BadInput(f"{path}: expected a folder with .parquet files, got none")
        return parts
    check_source(path, folder=True)
    return [path]


def check_parquet(path: Path) -> None:
    """Refuse a file or folder in which a part is empty, cut short or not Parquet, by its first and last bytes."""
    for part in parts_of(path):
        try:
            with open_source(part) as stream:
                first = stream.read(len(_MAGIC))
                if not first:
                    raise BadInput(f"{part}: expected a Parquet file of statements, got an empty file")
                stream.seek(-min(len(_MAGIC), len(first)), 2)
                last = stream.read()
        except OSError as problem:
            raise BadInput(f"{part}: cannot be read ({problem.strerror})") from problem
        if (first, last) != (_MAGIC, _MAGIC):
            where = "end" if first == _MAGIC else "begin"
            raise BadInput(
                f"{part}: cannot be read as Parquet (it does not {where} like one). Is it cut short, or another "
                "format? `protorel convert` reads other formats."
            )
