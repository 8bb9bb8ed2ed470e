"""What training saw of each statement: how clearly it lay with its label, each time it came up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import torch
from jaxtyping import Float, Int
from torch import Tensor

from protorel.geometry import cosine
from protorel.statements.files import written_whole

_KINDS = {"step": torch.int32, "row": torch.int32, "cosine": torch.float32, "margin": torch.float32}


class LearningRecord:
    """Collects, for every statement of every batch, its cosine to its own prototype and its margin over the others."""

    def __init__(self, tensors: Mapping[str, Tensor] | None = None) -> None:
        self.restore(tensors or {name: torch.empty(0, dtype=kind) for name, kind in _KINDS.items()})

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to what was recorded when `tensors` was asked for."""
        # A checkpoint gives its tensors back in no order to rely on.
        self._pieces = {name: [tensors[name]] for name in _KINDS}

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

    def tensors(self) -> dict[str, Tensor]:
        """Return everything recorded so far."""
        joined = {name: torch.cat(pieces) for name, pieces in self._pieces.items()}
        self._pieces = {name: [tensor] for name, tensor in joined.items()}
        return joined

    def latest(self) -> tuple[Int[Tensor, " rows"], Float[Tensor, " rows"]]:
        """Return each row that came up, and its cosine the last time it did."""
        recorded = self.tensors()
        last = dict(zip(recorded["row"].tolist(), recorded["cosine"].tolist(), strict=True))
        return torch.tensor(list(last), dtype=torch.long), torch.tensor(list(last.values()))

    def write(self, path: Path, *, ids: Sequence[str]) -> None:
        """Write the record as Parquet, statements by their ids; `ids` has one for each row of the data."""
        recorded = self.tensors()
        table = pa.table(
            {
                "id": pa.array([ids[row] for row in recorded["row"].tolist()], type=pa.string()),
                **{name: pa.array(tensor.numpy()) for name, tensor in recorded.items()},
            }
        )
        with written_whole(path) as beside:
            pq.write_table(table, beside, compression="zstd")
