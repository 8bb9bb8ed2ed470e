"""Trains in processes that a test can kill.

Each line of the input is an order, in JSON: data, out, overrides, the model to tune, if any, and when the process must
kill itself: after which checkpoint file, or after how many files were removed from the checkpoint of the finished run.
It is carried out in a fork, so that all of them share the time that imports take.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any

from protorel.statements import Interrupted
from protorel.training import checkpoint, finetune, folder, load_finetune_recipe, load_recipe, pretrain


def say_and_linger(step: int, steps: int, *, loss: float, statements: int) -> None:
    print(f"step {step}", flush=True)
    # Long enough for the other side to strike before the run has ended.
    time.sleep(0.05)


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
    data, out, overrides = order["data"], order["out"], order["overrides"]
    try:
        if order["model"] is None:
            pretrain(data, out, load_recipe("col_final", overrides), watch=say_and_linger)
        else:
            recipe = load_finetune_recipe("supervised", overrides)
            finetune(order["model"], data, out, recipe, watch=say_and_linger)
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
