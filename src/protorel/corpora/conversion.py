"""Converting foreign files to statements in Parquet; rejected rows go to a file with their reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, TextIO

from protorel.corpora.formats import files_of, format_named, read_rows
from protorel.corpora.rows import Reject, Row
from protorel.io import BadInput, as_path, check_type, written_whole
from protorel.statements import Statement


@dataclass(frozen=True, slots=True)
class Conversion:
    """The counts of a conversion: `rows_in = rows_out + rows_rejected`."""

    rows_in: int
    rows_out: int
    rows_rejected: int
    rejects_path: Path | None
    """The file of rejected rows, if there are any."""
    overlapping: int = 0
    """The number of `rows_out` whose head and tail overlap."""


def convert(
    sources: Path | str | Sequence[Path | str], format: str, out: Path | str, *, allow_overlap: bool = False
) -> Conversion:
    """Convert foreign files to statements in Parquet.

    Both files are written atomically. Rows that are not statements go to `NAME.rejects.jsonl` next to `out`; without
    rejects there is no such file. The Parquet file's metadata holds the counts and `allow_overlap` (`read_origin`).

    Args:
        sources: A file, or several; for some formats, folders.
        format: The name of the format: fewrel, semeval, csv, jsonl, …
        out: The Parquet file.
        allow_overlap: Whether to keep rows of csv and jsonl whose head and tail overlap. Other formats keep them.

    Returns:
        The numbers of rows read, written and rejected.

    Raises:
        BadInput: a source or the format is wrong, or no row is a statement; then the rejects are written, `out` is not.
        WorkFailed: the disk is full or broken.

    >>> _ = Path("towns.csv").write_text("text,head,tail\\nAda Kroll was born in Lunsk.,Ada Kroll,Lunsk")
    >>> convert("towns.csv", "csv", "towns.parquet").rows_out
    1
    """
    from protorel.statements import write_statements  # pyarrow is loaded when it is needed

    out = as_path(out, where="out")
    files, rejects_path, chosen = check_conversion(sources, format, out), _rejects_path(out), format_named(format)
    rows_out = 0
    with written_whole(rejects_path) as partial, partial.open("w", encoding="utf-8") as stream:
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
    """Return what the metadata of the Parquet file says about the conversion."""
    counts = {"statements": sieve.taken, "rejected": sieve.rejected, "overlapping": sieve.overlapping}
    return {"format": format, "allow_overlap": allow_overlap, **counts}


def check_conversion(sources: Path | str | Sequence[Path | str], format: str, out: Path) -> list[Path]:
    """Return the files of the sources, or raise `BadInput` before reading them if they cannot be converted."""
    if isinstance(sources, str | PathLike):
        sources = [sources]
    check_type(sources, Iterable, where="sources", expected="a path or a list of paths")
    paths = [as_path(source, where="sources") for source in sources]
    files, rejects_path = files_of(paths, format_named(format)), _rejects_path(out)
    for file in files:
        if file.resolve() in (out.resolve(), rejects_path.resolve()):
            raise BadInput(f"{file}: is a source and would be overwritten. Choose another --out.")
    return files


class _Sieve:
    """Passes statements on and writes rejects to a file."""

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
