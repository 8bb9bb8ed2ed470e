"""The weights of the best epoch so far, kept as part of the checkpoint: no kill loses them."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn


class BestEpoch:
    """Is told each epoch's score, and keeps a copy of the weights whenever it is higher than all before."""

    def __init__(self, modules: Mapping[str, nn.Module]) -> None:
        self.modules = modules
        self.scores: list[float] = []
        self._weights: dict[str, Tensor] = {}

    @property
    def epoch(self) -> int | None:
        """The best epoch, counted from 1; of two with one score the earlier."""
        return self.scores.index(max(self.scores)) + 1 if self.scores else None

    def add(self, score: float) -> None:
        """Take note of the score that the weights have now."""
        self.scores.append(score)
        if self.epoch == len(self.scores):
            self._weights = {name: tensor.detach().cpu().clone() for name, tensor in self._now().items()}

    def use(self) -> None:
        """Put the best weights back in their place; where no epoch was judged the last ones stay."""
        if self._weights:
            for part, module in self.modules.items():
                module.load_state_dict({name: self._weights[f"{part}.{name}"] for name in module.state_dict()})

    def tensors(self) -> dict[str, Tensor]:
        """Return scores and weights by name."""
        return {"scores": torch.tensor(self.scores, dtype=torch.float64), **self._weights}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to what `tensors` gave."""
        self.scores = tensors["scores"].tolist()
        self._weights = {name: tensors[name] for name in self._now()} if self.scores else {}

    def _now(self) -> dict[str, Tensor]:
        parts = self.modules.items()
        return {f"{part}.{name}": tensor for part, module in parts for name, tensor in module.state_dict().items()}
