"""The one training loop; kinds of training differ in their step function."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Protocol

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from protorel.io import Stopwatch
from protorel.statements import Interrupted, WorkFailed
from protorel.training.journal import Journal
from protorel.training.optimiser import Optimiser


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step function makes of its batch."""

    loss: Float[Tensor, ""]
    terms: Mapping[str, Float[Tensor, ""]]
    statements: int
    ids: Callable[[], list[str]]
    """Returns the ids of the batch's statements; called only for an error message."""


StepFunction = Callable[[int], StepResult]
"""Computes the loss of step number n, counted from 0. All it does follows from the seed and n."""


AfterStep = Callable[[int], Mapping[str, float]]
"""Called after step n, before a checkpoint is saved; returns additional fields for the journal."""


class Watcher(Protocol):
    """Called after each step, such as a progress bar."""

    def __call__(self, step: int, steps: int, *, loss: float, statements: int) -> None:
        """Show that step `step` of `steps` is done."""
        ...


def fit(
    take_step: StepFunction,
    optimiser: Optimiser,
    *,
    start: int,
    steps: int,
    seed: int,
    checkpoint_every: int,
    save: Callable[[int], None],
    journal: Journal,
    watch: Watcher | None = None,
    after_step: AfterStep | None = None,
) -> None:
    """Take the steps from `start` to `steps`, and save checkpoints on the way and at the end.

    Every step is a function of the seed and its number, so a resumed run ends with the same weights, bit for bit, as an
    uninterrupted one.
    """
    with _interruptible() as interrupted:
        for step in range(start, steps):
            watch_step = Stopwatch(time.perf_counter)
            rate = optimiser.learning_rate
            with _seeded(seed, step):
                result = take_step(step)
                value = result.loss.item()
                norm = optimiser.step(result.loss) if math.isfinite(value) else math.nan
            done = step + 1
            if not math.isfinite(norm):
                raise WorkFailed(_not_finite(done, value, norm, result))
            speed = watch_step.rate(result.statements)
            more = after_step(done) if after_step is not None else {}
            journal.write(
                {
                    "step": done,
                    "loss": value,
                    "terms": {name: term.item() for name, term in result.terms.items()},
                    "learning_rate": rate,
                    "gradient_norm": norm,
                    "statements_per_second": speed,
                    **more,
                }
            )
            if watch is not None:
                watch(done, steps, loss=value, statements=result.statements)
            stop = interrupted.is_set()  # in the last step too: other trainings may come after this one
            if stop or done % checkpoint_every == 0 or done == steps:
                save(done)
            if stop:
                raise Interrupted(f"stopped after step {done} of {steps}; everything up to there is saved")


def _not_finite(step: int, value: float, norm: float, result: StepResult) -> str:
    what = f"the loss is {value}" if not math.isfinite(value) else f"the gradient's norm is {norm}"
    terms = ", ".join(f"{name} {term.item():.4g}" for name, term in result.terms.items())
    return (
        f"step {step}: {what} ({terms}); the last checkpoint is kept. "
        "Starting again with a lower learning_rate may help. "
        f"Statements of the batch: {', '.join(result.ids())}"
    )


@contextmanager
def _seeded(seed: int, step: int) -> Iterator[None]:
    """Seed torch for this step, and restore the caller's random state afterwards."""
    with torch.random.fork_rng():
        torch.manual_seed(step_seed(seed, step))
        yield


def step_seed(seed: int, step: int) -> int:
    """Return the seed of all randomness in a step."""
    return int(np.random.SeedSequence([seed, step]).generate_state(1, np.uint64)[0] >> np.uint64(1))


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into a flag, so that the current step is completed; a second one stops at once."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.getsignal(signal.SIGINT)

    def note(_number: int, _frame: FrameType | None) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
