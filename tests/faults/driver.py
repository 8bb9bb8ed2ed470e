"""Trains in a process of its own, so that a test can kill it: driver.py DATA OUT DIES_IN_SAVE [key=value ...]."""

from __future__ import annotations

import os
import signal
import sys
import time

from protorel.training import Interrupted, checkpoint, load_recipe, pretrain


def say_and_linger(step: int, steps: int, *, loss: float, statements: int) -> None:
    print(f"step {step}", flush=True)
    # Long enough for the other side to strike before the run has ended.
    time.sleep(0.05)


def die_in_save(number: int) -> None:
    """Kill this very process when the file with this number, over all checkpoints, has been written."""
    save_file, written = checkpoint.save_file, 0

    def save(*arguments: object) -> None:
        nonlocal written
        save_file(*arguments)
        written += 1
        if written == number:
            os.kill(os.getpid(), signal.SIGKILL)

    checkpoint.save_file = save


if __name__ == "__main__":
    data, out, deadly_file, *overrides = sys.argv[1:]
    die_in_save(int(deadly_file))
    try:
        pretrain(data, out, load_recipe("col_final", overrides), watch=say_and_linger)
    except Interrupted as problem:
        print(problem, flush=True)
        sys.exit(1)
