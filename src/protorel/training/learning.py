"""What training saw of each statement: how clearly it lay with its label, each time it came up."""

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
from protorel.io import written_whole
from protorel.training.learning_parts import TableParts

_KINDS = {"step": torch.int32, "row": torch.int32, "cosine": torch.float32, "margin": torch.float32}
_AT_ONCE = 2**17
"""How many entries are held in memory before they are written; so many, or few more, make a part."""


class LearningRecord:
    """Collects, for every statement of every batch, its cosine to its own prototype and its margin over the others.

    The record grows with every step, so all but its end lies on disk, under `folder`. Parts are written by how much was
    recorded and not by when a checkpoint was, so a run that was stopped has the same parts as one that never was.
    """

    def __init__(self, folder: Path) -> None:
        self._parts = TableParts(folder)
        self._hold({name: torch.empty(0, dtype=kind) for name, kind in _KINDS.items()})

    def __len__(self) -> int:
        return self._parts.rows + self._held

    def _hold(self, tensors: Mapping[str, Tensor]) -> None:
        # A checkpoint gives its tensors back in no order to rely on.
        self._pieces = {name: [tensors[name]] for name in _KINDS}
        self._held = len(tensors["row"])

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to what was recorded when `tensors` was asked for."""
        # An older version has kept all of it in the checkpoint.
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
        """Return the end of the record, and how many entries before it are on disk."""
        return {"written": torch.tensor(self._parts.rows), **self._end()}

    def latest(self) -> tuple[Int[Tensor, " rows"], Float[Tensor, " rows"]]:
        """Return each row that came up, in order, and its cosine the last time it did."""
        last = np.empty(0, dtype=np.float32)
        for table in self._tables():
            rows, cosines = table["row"].to_numpy(), table["cosine"].to_numpy()
            more = max(0, int(rows.max(initial=-1)) + 1 - len(last))
            last = np.concatenate([last, np.full(more, np.nan, dtype=np.float32)])
            last[rows] = cosines  # of a row that stands here twice the last counts
        seen = np.flatnonzero(~np.isnan(last))
        return torch.from_numpy(seen), torch.from_numpy(last[seen])

    def write(self, path: Path, *, ids: Sequence[str]) -> None:
        """Write the record as Parquet, statements by their ids; `ids` has one for each row of the data."""
        names = pa.array(ids, type=pa.string())
        schema = pa.schema([("id", pa.string()), *_table(self._end()).schema])
        with written_whole(path) as beside, pq.ParquetWriter(beside, schema, compression="zstd") as writer:
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
