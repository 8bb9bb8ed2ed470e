"""How much each statement counts, fixed before training: its similarity to the rules of its relation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from protorel.batches import TrainingRows
from protorel.patterns import SnowballSettings, read_corpus, rule_weights
from protorel.statements import StatementSource

_MEASURED = 1_000_000
"""Quantiles are of the first million weights: torch takes no more than some millions."""


class StatementWeights:
    """One weight for each training row; a pure function of the data, so a resumed run finds the same ones."""

    def __init__(self, source: StatementSource, rows: TrainingRows, *, patterns: int) -> None:
        """Find the rules of the statements that `rows` were made from."""
        settings = SnowballSettings()
        weights = rule_weights(read_corpus(source, settings), settings, top=patterns)
        self._weights = torch.from_numpy(weights[rows.origins])

    def of(self, rows: Sequence[int], device: torch.device) -> Float[Tensor, " batch"]:
        """Return the weights of some rows."""
        return self._weights[list(rows)].to(device)

    def as_json(self) -> dict[str, Any]:
        """Return what a run's record says of them: how they spread."""
        shares = torch.tensor([0.0, 0.25, 0.5, 0.75, 1.0])
        least, low, middle, high, most = torch.quantile(self._weights[:_MEASURED], shares).tolist()
        return {"least": least, "lower_quarter": low, "median": middle, "upper_quarter": high, "most": most}
