"""AdamW with warm-up, and its state as plain tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import torch
from torch import Tensor, nn
from transformers import get_linear_schedule_with_warmup

_WIDEST = 1e37
"""AdamW raises on a rate beyond float32; with this one the loss is soon not finite, which the loop reports."""


class Rates(Protocol):
    """The part of a recipe that the optimiser reads."""

    @property
    def learning_rate(self) -> float:
        """The encoder's peak learning rate."""

    @property
    def head_factor(self) -> float:
        """Learning rate of prototypes and classifiers, as a multiple of the encoder's."""

    @property
    def warmup(self) -> float:
        """The share of the steps in which the learning rate rises."""

    @property
    def weight_decay(self) -> float:
        """Weight decay of the encoder."""

    @property
    def clip(self) -> float:
        """Maximum norm of a step's gradient."""


class Optimiser:
    """AdamW over an encoder and an objective, with linear warm-up and decay of the learning rate."""

    def __init__(self, encoder: nn.Module, objective: nn.Module, recipe: Rates, *, steps: int) -> None:
        self.clip = recipe.clip
        rate = min(recipe.learning_rate, _WIDEST)
        head_rate = min(rate * recipe.head_factor, _WIDEST)
        groups = [
            *_groups(encoder, rate, recipe.weight_decay),
            # Prototypes are directions, and classifiers are small: neither is decayed.
            {"params": list(objective.parameters()), "lr": head_rate, "weight_decay": 0.0},
        ]
        self.parameters = [*encoder.parameters(), *objective.parameters()]
        self.adamw = torch.optim.AdamW(groups, fused=True)  # one pass over the weights instead of ten
        self.schedule = get_linear_schedule_with_warmup(
            self.adamw, num_warmup_steps=round(recipe.warmup * steps), num_training_steps=steps
        )

    @property
    def learning_rate(self) -> float:
        """The encoder's learning rate in the next step."""
        return float(self.adamw.param_groups[0]["lr"])

    def step(self, loss: Tensor) -> float:
        """Take one optimiser step on a loss; return the norm of the gradient before clipping.

        A gradient that is not finite changes nothing.
        """
        self.adamw.zero_grad(set_to_none=True)
        loss.backward()
        norm = float(nn.utils.clip_grad_norm_(self.parameters, self.clip))
        if norm == norm and norm != float("inf"):
            self.adamw.step()
            self.schedule.step()
        return norm

    def tensors(self) -> dict[str, Tensor]:
        """Return AdamW's moments, by the number of the weight."""
        state = self.adamw.state_dict()["state"]
        return {f"{number}.{name}": value for number, kept in state.items() for name, value in kept.items()}

    def restore(self, tensors: Mapping[str, Tensor], step: int) -> None:
        """Restore the state after `step` steps."""
        state: dict[int, dict[str, Tensor]] = {}
        for key, value in tensors.items():
            number, _, name = key.partition(".")
            state.setdefault(int(number), {})[name] = value
        self.adamw.load_state_dict({**self.adamw.state_dict(), "state": state})
        # The rate is a function of the step alone.
        self.schedule.last_epoch = step
        rates = [base * rule(step) for base, rule in zip(self.schedule.base_lrs, self.schedule.lr_lambdas, strict=True)]
        for group, rate in zip(self.adamw.param_groups, rates, strict=True):
            group["lr"] = rate


def _groups(encoder: nn.Module, rate: float, decay: float) -> list[dict[str, object]]:
    """Return parameter groups: biases and layer norms have no weight decay."""
    learned = [parameter for parameter in encoder.parameters() if parameter.requires_grad]
    flat = [parameter for parameter in learned if parameter.ndim < 2]
    rest = [parameter for parameter in learned if parameter.ndim >= 2]
    return [
        {"params": rest, "lr": rate, "weight_decay": decay},
        {"params": flat, "lr": rate, "weight_decay": 0.0},
    ]
