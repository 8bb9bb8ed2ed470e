"""Training dynamics: the cosine of each statement to its label's prototype, and its margin, every time it came up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from jaxtyping import Float, Int
from torch import Tensor

from protorel.geometry import cosine
from protorel.io import check_source, remove_leftovers, written_whole
from protorel.statements import BadInput, WorkFailed

DYNAMICS = "training_dynamics.parquet"
_OLDER = "learning.parquet"
"""The name of the file in older runs."""
_KINDS = {"step": torch.int32, "row": torch.int32, "cosine": torch.float32, "margin": torch.float32}
_AT_ONCE = 2**17
"""How many entries are held in memory before they are written as a part."""


def has_training_dynamics(run: Path | str) -> bool:
    """Tell whether a run folder has training dynamics, under the file's present or older name."""
    return any((Path(run) / name).is_file() for name in (DYNAMICS, _OLDER))


def read_training_dynamics(run: Path | str) -> pa.Table:
    """Return the training dynamics of a finished run, under the file's present or older name.

    Args:
        run: A run folder that `pretrain` wrote.

    Returns:
        A table with one row each time a statement came up: `id`, `step`, `row` (of the data), `cosine` (to the
        prototype of its label) and `margin` (over the closest other prototype).

    Raises:
        BadInput: The run has no such file, or it is damaged.
    """
    path = Path(run) / DYNAMICS
    older = Path(run) / _OLDER
    path = older if older.is_file() and not path.is_file() else path
    check_source(path)
    try:
        return pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as problem:
        raise BadInput(f"{path}: expected a Parquet file, got damaged content ({problem})") from problem


class TrainingDynamics:
    """Collects, for every statement of every batch, its cosine to its own prototype and its margin over the others.

    It grows with every step, so all but its end is on disk, under `folder`. Parts are cut by the number of entries, not
    at checkpoints, so a run that was stopped has the same parts as one that never was.
    """

    def __init__(self, folder: Path) -> None:
        self._parts = TableParts(folder)
        self._hold({name: torch.empty(0, dtype=kind) for name, kind in _KINDS.items()})

    def __len__(self) -> int:
        return self._parts.rows + self._held

    def _hold(self, tensors: Mapping[str, Tensor]) -> None:
        # The tensors of a checkpoint come in no particular order.
        self._pieces = {name: [tensors[name]] for name in _KINDS}
        self._held = len(tensors["row"])

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to what was recorded when `tensors` was called."""
        # An older version kept all of it in the checkpoint.
        self._parts.cut(int(tensors["written"]) if "written" in tensors else 0)
        self._hold(tensors)

    @torch.no_grad()
    def add(
        self,
        step: int,
        rows: Sequence[int],
        vectors: Float[Tensor, "batch width"],
        relations: Int[Tensor, " batch"],
        prototypes: Float[Tensor, "relations width"],
    ) -> None:
        """Record one batch. A margin below 0 means that another prototype was closer than the label's own."""
        cosines = cosine(vectors.detach(), prototypes).cpu()
        own = cosines.gather(1, relations.cpu()[:, None])[:, 0]
        best_other = cosines.scatter(1, relations.cpu()[:, None], -1.0).amax(1)
        self._pieces["step"].append(torch.full((len(rows),), step, dtype=torch.int32))
        self._pieces["row"].append(torch.tensor(rows, dtype=torch.int32))
        self._pieces["cosine"].append(own.float())
        self._pieces["margin"].append((own - best_other).float())
        self._held += len(rows)
        if self._held >= _AT_ONCE:
            self._parts.append(_table(self._end()))
            self._hold({name: torch.empty(0, dtype=kind) for name, kind in _KINDS.items()})

    def tensors(self) -> dict[str, Tensor]:
        """Return the entries in memory, and the number of entries on disk."""
        return {"written": torch.tensor(self._parts.rows), **self._end()}

    def latest(self) -> tuple[Int[Tensor, " rows"], Float[Tensor, " rows"]]:
        """Return each row that came up, in order, and its cosine the last time it did."""
        last = np.empty(0, dtype=np.float32)
        for table in self._tables():
            rows, cosines = table["row"].to_numpy(), table["cosine"].to_numpy()
            more = max(0, int(rows.max(initial=-1)) + 1 - len(last))
            last = np.concatenate([last, np.full(more, np.nan, dtype=np.float32)])
            last[rows] = cosines  # the last entry of a row counts
        seen = np.flatnonzero(~np.isnan(last))
        return torch.from_numpy(seen), torch.from_numpy(last[seen])

    def write(self, path: Path, *, ids: Sequence[str]) -> None:
        """Write all of it as Parquet; `ids` has one id for each row of the data."""
        names = pa.array(ids, type=pa.string())
        schema = pa.schema([("id", pa.string()), *_table(self._end()).schema])
        with written_whole(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
            for table in self._tables():
                writer.write_table(table.add_column(0, "id", names.take(table["row"])))

    def _end(self) -> dict[str, Tensor]:
        joined = {name: torch.cat(pieces) for name, pieces in self._pieces.items()}
        self._pieces = {name: [tensor] for name, tensor in joined.items()}
        return joined

    def _tables(self) -> Iterator[pa.Table]:
        yield from self._parts
        yield _table(self._end())


def _table(tensors: Mapping[str, Tensor]) -> pa.Table:
    return pa.table({name: pa.array(tensors[name].numpy()) for name in _KINDS})


class TableParts:
    """A long table in Parquet files, each named by the number of rows before it: memory holds one part at most."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = 0
        """Number of rows in all parts."""

    def append(self, table: pa.Table) -> None:
        """Write one more part, atomically."""
        path = self.folder / f"{self.rows:012d}.parquet"
        try:
            with written_whole(path) as temporary:
                pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)
        except (BadInput, WorkFailed) as problem:
            raise type(problem)(f"{problem}; the last checkpoint is kept") from problem
        self.rows += len(table)

    def cut(self, rows: int) -> None:
        """Go back to the first `rows` rows: what was written after a checkpoint is computed again."""
        self.rows = rows
        remove_leftovers(self.folder)
        for path in self._paths():
            if int(path.stem) >= rows:
                path.unlink()
        if (found := sum(self._open(path).metadata.num_rows for path in self._paths())) != rows:
            raise BadInput(
                f"{self.folder}: expected {rows} rows of training dynamics as in the checkpoint, got {found}"
            )

    def __iter__(self) -> Iterator[pa.Table]:
        for path in self._paths():
            try:
                yield self._open(path).read()
            except (OSError, pa.ArrowInvalid) as problem:
                raise _damaged(path, problem) from problem

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("*.parquet"))

    def _open(self, path: Path) -> pq.ParquetFile:
        try:
            return pq.ParquetFile(path, page_checksum_verification=True)
        except (OSError, pa.ArrowInvalid) as problem:
            raise _damaged(path, problem) from problem


def _damaged(path: Path, problem: Exception) -> BadInput:
    return BadInput(f"{path}: this part of the training dynamics is damaged ({problem})")
