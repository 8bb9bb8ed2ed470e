"""A run in progress: what every kind of training shares, from the first checkpoint to the last."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from protorel.encoders import TransformerEncoder
from protorel.io import Stopwatch, kind
from protorel.statements import BadInput, WorkFailed
from protorel.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from protorel.training.journal import Journal
from protorel.training.loop import AfterStep, StepFunction, Watcher, fit
from protorel.training.optimiser import Optimiser
from protorel.training.settings_match import check_resumed


class Clock:
    """Counts the seconds of a run; a resumed run continues from its checkpoint.

    What a kill throws away is computed again and counted then: the seconds are those of an uninterrupted run.
    """

    def __init__(self, now: Callable[[], float] | None = None) -> None:
        self._watch, self._before = Stopwatch(now), 0.0

    @property
    def seconds(self) -> float:
        """The seconds so far, to a tenth."""
        return round(self._before + self._watch.seconds, 1)

    def go_on_from(self, seconds: float) -> None:
        """Add the seconds of the run before it was stopped."""
        self._before = seconds


class Memory(Protocol):
    """What a run carries from step to step next to its weights."""

    def tensors(self) -> dict[str, Tensor]:
        """Return all of it as tensors by name."""
        ...

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to what `tensors` returned; a missing name raises KeyError."""
        ...


class Steps(Protocol):
    """The part of a recipe that the loop reads."""

    @property
    def seed(self) -> int:
        """The seed of all randomness."""

    @property
    def checkpoint_every(self) -> int:
        """Steps between checkpoints."""


class TrainingRun:
    """Weights, optimiser and memory, saved and restored together, and updated by the one loop."""

    def __init__(
        self,
        folder: Path,
        weights: Mapping[str, nn.Module],
        optimiser: Optimiser,
        memory: Mapping[str, Memory],
        *,
        settings: Mapping[str, Any],
    ) -> None:
        self.folder, self.weights, self.optimiser, self.memory = folder, weights, optimiser, memory
        self.settings = settings
        """All settings that the result depends on; a resumed run must have the same."""
        self.done = 0
        self.clock = Clock()
        """Replaced by an earlier clock where work was done before this object was made."""

    def resume(self) -> None:
        """Go back to the newest checkpoint; a run without one starts from the beginning."""
        checkpoint = load_checkpoint(self.folder / "state")
        if checkpoint is None:
            return
        check_resumed(self.settings, checkpoint.settings, self.folder)
        try:
            for name, module in self.weights.items():
                module.load_state_dict(checkpoint.tensors[name])
            self.optimiser.restore(checkpoint.tensors["optimiser"], checkpoint.step)
            for name, memory in self.memory.items():
                memory.restore(checkpoint.tensors[name])
        except (KeyError, RuntimeError) as problem:
            raise BadInput(f"{self.folder / 'state'}: the checkpoint does not fit the run ({problem})") from problem
        self.done = checkpoint.step
        self.clock.go_on_from(checkpoint.seconds)

    def save(self, step: int) -> None:
        """Write a checkpoint after `step` steps; raise `WorkFailed` if the weights are no longer finite."""
        weights = {name: module.state_dict() for name, module in self.weights.items()}
        if not all(weight.float().norm().isfinite() for part in weights.values() for weight in part.values()):
            raise WorkFailed(
                f"step {step}: the norm of the weights is no longer finite; the previous checkpoint is kept. "
                "Starting again with a lower learning_rate may help"
            )
        kept = {name: memory.tensors() for name, memory in self.memory.items()}
        tensors: Mapping[str, Mapping[str, Tensor]] = {**weights, "optimiser": self.optimiser.tensors(), **kept}
        save_checkpoint(Checkpoint(step, tensors, self.settings, self.clock.seconds), self.folder / "state")

    def fit(
        self,
        take_step: StepFunction,
        recipe: Steps,
        *,
        steps: int,
        watch: Watcher | None,
        after_step: AfterStep | None = None,
    ) -> None:
        """Take the remaining steps."""
        if self.done == 0:
            self.save(0)
        fit(
            take_step,
            self.optimiser,
            start=self.done,
            steps=steps,
            seed=recipe.seed,
            checkpoint_every=recipe.checkpoint_every,
            save=self.save,
            journal=Journal(self.folder, steps_done=self.done),
            watch=watch,
            after_step=after_step,
        )


def check_watcher(watch: object) -> None:
    """Raise `BadInput` for a `watch` that cannot be called, before any work is done."""
    if watch is not None and not callable(watch):
        raise BadInput(f"watch: expected a function, got {kind(watch)}")


def training_device() -> torch.device:
    """Return the device to train on."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def trainable(encoder: object, precision: str) -> nn.Module:
    """Move an encoder to the training device, in training mode; bf16 applies to transformers only."""
    if not isinstance(encoder, nn.Module):
        raise TypeError(f"{type(encoder).__name__} has no weights to train")
    if isinstance(encoder, TransformerEncoder):
        encoder.trains_in_bf16 = precision == "bf16"
    return encoder.to(training_device()).train()
