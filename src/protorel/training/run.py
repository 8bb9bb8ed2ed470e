"""A run under way: what every kind of training shares, from the first checkpoint to the last."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from protorel.encoders import TransformerEncoder
from protorel.io import shown
from protorel.recipes import dotted
from protorel.statements import BadInput, WorkFailed
from protorel.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from protorel.training.clock import Clock
from protorel.training.journal import Journal
from protorel.training.loop import AfterStep, StepFunction, Watcher, fit
from protorel.training.optimiser import Optimiser

_STARTED_WITH = {
    "apart_from": "with other --apart-from files",
    "data": "on other data",
    "model": "from another model",
    "descriptions": "with other --descriptions",
    "dev": "with another --dev file",
}
"""What a run was started with besides its recipe, and how to say that it is not the same any more."""


class Memory(Protocol):
    """What a run keeps in mind from step to step besides weights."""

    def tensors(self) -> dict[str, Tensor]:
        """Return all of it as tensors by name."""
        ...

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to what `tensors` gave; a name that is missing is a KeyError."""
        ...


class Steps(Protocol):
    """How a recipe divides its work."""

    @property
    def seed(self) -> int:
        """What all randomness grows from."""

    @property
    def checkpoint_every(self) -> int:
        """After how many steps a checkpoint is written."""


class TrainingRun:
    """Weights, optimiser and memory that are saved together, taken back together, and moved by the one loop."""

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
        """What the run was started with, as far as its result depends on it; a resume must be started with the same."""
        self.done = 0
        self.clock = Clock()
        """Whoever has worked for the run before this puts a clock here that was made earlier."""

    def resume(self) -> None:
        """Go back to the newest checkpoint; a run that was killed before its first one begins anew."""
        checkpoint = load_checkpoint(self.folder / "state")
        if checkpoint is None:
            return
        _check_same(self.settings, checkpoint.settings, self.folder)
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
        """Write a checkpoint of everything after `step` steps, unless its weights are of no more use."""
        weights = {name: module.state_dict() for name, module in self.weights.items()}
        if not all(weight.float().norm().isfinite() for part in weights.values() for weight in part.values()):
            raise WorkFailed(
                f"step {step}: the norm of the weights is no longer finite; the checkpoint before it is kept. "
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
        """Take all steps that are not done yet."""
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


def training_device() -> torch.device:
    """Return where weights are trained."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def trainable(encoder: object, precision: str) -> nn.Module:
    """Return an encoder as a module on the device that it learns on; only a transformer's products are rounded."""
    if not isinstance(encoder, nn.Module):
        raise TypeError(f"{type(encoder).__name__} has no weights to train")
    if isinstance(encoder, TransformerEncoder):
        encoder.trains_in_bf16 = precision == "bf16"
    return encoder.to(training_device()).train()


def _check_same(now: Mapping[str, Any], then: Mapping[str, Any], folder: Path) -> None:
    if _verb(now) != _verb(then):
        raise BadInput(f"{folder}: this run was started by `protorel {_verb(then)}`; resume it by that")
    for name, how in _STARTED_WITH.items():
        if now.get(name) != then.get(name, [] if name == "apart_from" else None):
            raise BadInput(f"{folder}: this run was started {how}; resume it with the same")
    old = dict(dotted(then.get("recipe", {})))
    for key, value in dotted(now["recipe"]):
        if old.get(key) != value:
            raise BadInput(
                f"{folder}: this run was started with {key}={shown(old.get(key))}, not {value!r}; resume it so"
            )
    if now["tokenizer"] != then.get("tokenizer", now["tokenizer"]):
        raise BadInput(f"{folder}: the tokenizer or the word vectors that this run was started with have changed since")


def _verb(settings: Mapping[str, Any]) -> str:
    return "finetune" if "kind" in settings.get("recipe", {}) else "pretrain"
