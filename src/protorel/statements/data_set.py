"""A data set with a name, and the Parquet files of one; pyarrow is loaded when a file is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.io import BadInput, as_path, check_source, check_type, is_folder, open_source, short_value
from protorel.statements.accepted_inputs import StatementsLike, as_statements
from protorel.statements.selection import StatementSource
from protorel.statements.types import Statement

_MAGIC = b"PAR1"
"""The first and the last bytes of a Parquet file."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """Statements that can be read any number of times, and their name.

    `as_data_set` makes one from any form of data.

    >>> row = {"text": "Ada Kroll was born in Lunsk.", "head": "Ada Kroll", "tail": "Lunsk", "relation": "born_in"}
    >>> data = DataSet.of("towns", [row])
    >>> [statement.relation for statement in data.source()]
    ['born_in']
    """

    name: str
    """The name in results and records, which never contain the path."""
    source: StatementSource
    """Returns the statements from the beginning each time it is called."""
    path: Path | None = None
    """The file or folder that the statements come from, so that nothing overwrites it."""

    def __post_init__(self) -> None:
        check_type(self.name, str, where="name", expected="text")
        if not callable(self.source):
            raise BadInput(
                f"source: expected a function that returns the statements, got {short_value(self.source)}. "
                "as_data_set accepts statements."
            )

    @classmethod
    def at(cls, path: Path | str) -> DataSet:
        """Return the data set of a Parquet file, or of a folder of them, without reading it yet.

        Raises:
            BadInput: it does not exist or is not Parquet.
        """
        place = as_path(path)
        check_parquet(place)
        return cls(place.resolve().name, lambda: _read(place), place)

    @classmethod
    def of(cls, name: str, statements: StatementsLike, path: Path | None = None) -> DataSet:
        """Return a data set in memory.

        Args:
            name: The name in results and records.
            statements: In any form that `as_statements` accepts.
            path: The file that they come from, if any.

        Raises:
            BadInput: a row is not a statement.
        """
        check_type(name, str, where="name", expected="text")
        held = as_statements(statements, where=name)
        return cls(name, lambda: held, path)

    def described(self) -> dict[str, Any]:
        """Return the name, the fingerprint, and the numbers of statements and relations, for JSON."""
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
    """Return the Parquet files of one data set: the file itself, or those of a folder, sorted."""
    if is_folder(path):
        parts = sorted(path.glob("*.parquet"))
        if not parts:
            raise BadInput(f"{path}: expected a folder with .parquet files, got none")
        return parts
    check_source(path, folder=True)
    return [path]


def check_parquet(path: Path) -> None:
    """Raise `BadInput` if a file is empty, cut short or not Parquet, judging by its first and last bytes."""
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
