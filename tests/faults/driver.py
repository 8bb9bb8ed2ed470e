"""Trains in processes that a test can kill.

Each line of the input is an order, in JSON: data, out, overrides, the model to tune, if any, the step after which the
process waits for one more line, and when it must kill itself: after which checkpoint file, or after how many files were
removed from the checkpoint of the finished run. It is carried out in a fork, so that all of them share the time that
imports take.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from protorel.statements import Interrupted
from protorel.training import checkpoint, finetune, folder, load_finetune_recipe, load_recipe, pretrain


def watch_that_holds(held_step: int) -> Callable[..., None]:
    """Say each step, and stay at one of them, so that the other side has time to strike."""

    def watch(step: int, steps: int, *, loss: float, statements: int) -> None:
        print(f"step {step}", flush=True)
        if step == held_step:
            os.read(sys.stdin.fileno(), 1)

    return watch


def die_in_save(number: int) -> None:
    """Kill this very process when the file with this number, over all checkpoints, has been written."""
    save_file, written = checkpoint.save_file, 0

    def save(*arguments: Any) -> None:
        nonlocal written
        save_file(*arguments)
        written += 1
        if written == number:
            os.kill(os.getpid(), signal.SIGKILL)

    checkpoint.save_file = save


def die_in_removal(number: int) -> None:
    """Kill this very process when the run has finished and `number` files of its checkpoint are removed."""
    remove, unlink, gone = folder._remove_state, os.unlink, 0

    def unlink_or_die(*arguments: Any, **named: Any) -> None:
        nonlocal gone
        if gone == number:
            os.kill(os.getpid(), signal.SIGKILL)
        unlink(*arguments, **named)
        gone += 1

    def removing(*arguments: Any, **named: Any) -> None:
        if number == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        os.unlink = unlink_or_die
        remove(*arguments, **named)

    folder._remove_state = removing


def carry_out(order: dict[str, Any]) -> int:
    die_in_save(order["deadly_file"])
    if order["deadly_removal"] is not None:
        die_in_removal(order["deadly_removal"])
    watch = watch_that_holds(order["held_step"])
    data, out, overrides = order["data"], order["out"], order["overrides"]
    try:
        if order["model"] is None:
            pretrain(data, out, load_recipe("col_final", overrides), watch=watch)
        else:
            recipe = load_finetune_recipe("supervised", overrides)
            finetune(order["model"], data, out, recipe, watch=watch)
    except Interrupted as problem:
        print(problem, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    for line in sys.stdin:
        if (child := os.fork()) == 0:
            os._exit(carry_out(json.loads(line)))
        print(f"process {child}", flush=True)
        _, status = os.waitpid(child, 0)
        print(f"ended {os.waitstatus_to_exitcode(status)}", flush=True)
