"""From somebody's benchmark file to statements in Parquet, with an account of what was not taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from protorel.corpora.formats import files_of, format_named, read_rows
from protorel.corpora.rows import Reject, Row
from protorel.io import written_whole
from protorel.statements import BadInput, Statement


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a conversion did: `rows_in = rows_out + rows_rejected`."""

    rows_in: int
    rows_out: int
    rows_rejected: int
    rejects_path: Path | None
    """Where the rejected rows stand, if there are any."""
    overlapping: int = 0
    """How many of `rows_out` have a head and a tail that overlap."""


def convert(sources: Sequence[Path], format: str, out: Path, *, allow_overlap: bool = False) -> Conversion:
    """Read foreign files, write their statements to `out` and the rows that are none to `NAME.rejects.jsonl` beside it.

    Rows whose head and tail overlap are rejected in a user's own format, unless `allow_overlap` is set, and kept in the
    published ones. The Parquet file's metadata has the counts and `allow_overlap` (`read_origin`).

    Either file is written whole or not at all, and the rejects file is there only if a row was rejected. When no row
    can be read this raises `BadInput`, writes no Parquet file and keeps the rejects.
    """
    from protorel.statements import write_statements  # pyarrow is loaded when it is needed

    files, rejects_path, chosen = check_conversion(sources, format, out), _rejects_path(out), format_named(format)
    rows_out = 0
    with written_whole(rejects_path) as beside, beside.open("w", encoding="utf-8") as stream:
        sieve = _Sieve(stream)
        statements = sieve.statements(read_rows(files, chosen, allow_overlap=allow_overlap))
        first = next(statements, None)
        if first is not None:
            rows_out = write_statements(
                chain([first], statements), out, origin=lambda: _origin(sieve, chosen.name, allow_overlap=allow_overlap)
            )
    if not sieve.rejected:
        rejects_path.unlink()
    if not rows_out:
        raise BadInput(_nothing_read(files, sieve))
    kept_at = rejects_path if sieve.rejected else None
    return Conversion(rows_out + sieve.rejected, rows_out, sieve.rejected, kept_at, sieve.overlapping)


def _origin(sieve: _Sieve, format: str, *, allow_overlap: bool) -> dict[str, Any]:
    """Return what the Parquet file keeps of its conversion."""
    counts = {"statements": sieve.taken, "rejected": sieve.rejected, "overlapping": sieve.overlapping}
    return {"format": format, "allow_overlap": allow_overlap, **counts}


def check_conversion(sources: Sequence[Path], format: str, out: Path) -> list[Path]:
    """Return the files that the sources name; refuse what cannot be converted, before any of it is read."""
    files, rejects_path = files_of(sources, format_named(format)), _rejects_path(out)
    for file in files:
        if file.resolve() in (out.resolve(), rejects_path.resolve()):
            raise BadInput(f"{file}: is a source and would be overwritten. Choose another --out.")
    return files


class _Sieve:
    """Lets statements through and writes the rejects down on the way."""

    def __init__(self, stream: TextIO) -> None:
        self.taken = self.overlapping = self.rejected = 0
        self.first: Reject | None = None
        self._stream = stream

    def statements(self, rows: Iterable[Row]) -> Iterator[Statement]:
        for row in rows:
            if isinstance(row, Statement):
                self.taken += 1
                self.overlapping += row.overlapping
                yield row
            else:
                self.rejected += 1
                self.first = self.first or row
                self._stream.write(row.as_json() + "\n")


def _rejects_path(out: Path) -> Path:
    if out.suffix != ".parquet":
        raise BadInput(f"{out}: expected a name that ends in .parquet")
    if out.is_dir():
        raise BadInput(f"{out}: expected a file name, got a folder")
    return out.with_suffix(".rejects.jsonl")


def _nothing_read(files: Sequence[Path], sieve: _Sieve) -> str:
    names = str(files[0]) if len(files) == 1 else f"{files[0]} and {len(files) - 1} more"
    if sieve.first is None:
        return f"{names}: expected one row or more, got none"
    rows = "the one row read is" if sieve.rejected == 1 else f"none of the {sieve.rejected} rows read is"
    wrong = "not a statement" if sieve.rejected == 1 else "a statement"
    return f"{names}: {rows} {wrong}; first reason: {sieve.first}"
