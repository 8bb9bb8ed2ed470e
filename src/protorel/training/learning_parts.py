"""A long table that grows while a run is trained, kept on disk in parts: memory holds one part at the most."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from protorel.io import remove_leftovers, written_whole
from protorel.statements import BadInput, WorkFailed


class TableParts:
    """Parquet files in a folder, each named by how many rows stand before it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = 0
        """How many rows stand in the parts."""

    def append(self, table: pa.Table) -> None:
        """Write one part more, whole or not at all."""
        path = self.folder / f"{self.rows:012d}.parquet"
        try:
            with written_whole(path) as beside:
                pq.write_table(table, beside, compression="zstd", write_page_checksum=True)
        except (BadInput, WorkFailed) as problem:
            raise type(problem)(f"{problem}; the last checkpoint is kept") from problem
        self.rows += len(table)

    def cut(self, rows: int) -> None:
        """Go back to the first `rows` rows: what was written after a checkpoint is done again."""
        self.rows = rows
        remove_leftovers(self.folder)
        for path in self._paths():
            if int(path.stem) >= rows:
                path.unlink()
        if (found := sum(self._open(path).metadata.num_rows for path in self._paths())) != rows:
            raise BadInput(f"{self.folder}: holds {found} rows of the learning record, the checkpoint wants {rows}")

    def __iter__(self) -> Iterator[pa.Table]:
        for path in self._paths():
            try:
                yield self._open(path).read()
            except (OSError, pa.ArrowInvalid) as problem:
                raise BadInput(f"{path}: this part of the learning record is damaged ({problem})") from problem

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("*.parquet"))

    def _open(self, path: Path) -> pq.ParquetFile:
        try:
            return pq.ParquetFile(path, page_checksum_verification=True)
        except (OSError, pa.ArrowInvalid) as problem:
            raise BadInput(f"{path}: this part of the learning record is damaged ({problem})") from problem
