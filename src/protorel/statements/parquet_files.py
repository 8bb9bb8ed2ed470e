"""Which Parquet files make up a data set, and whether they look like Parquet; said without loading pyarrow."""

from __future__ import annotations

from pathlib import Path

from protorel.io import BadInput, check_source, is_folder, open_source

_MAGIC = b"PAR1"
"""The first and the last bytes of every Parquet file."""


def parts_of(path: Path) -> list[Path]:
    """Return the Parquet files that make up one data set: the file itself, or a folder's parts in order."""
    if is_folder(path):
        parts = sorted(path.glob("*.parquet"))
        if not parts:
            raise BadInput(f"{path}: this folder holds no .parquet file, one or more are wanted")
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
                    raise BadInput(f"{part}: this file is empty, expected a Parquet file of statements")
                stream.seek(-min(len(_MAGIC), len(first)), 2)
                last = stream.read()
        except OSError as problem:
            raise BadInput(f"{part}: cannot be read ({problem.strerror})") from problem
        if (first, last) != (_MAGIC, _MAGIC):
            where = "end" if first == _MAGIC else "begin"
            raise BadInput(
                f"{part}: cannot be read as Parquet (it does not {where} like one); is it cut short, or another "
                "format? `protorel convert` reads other formats"
            )
