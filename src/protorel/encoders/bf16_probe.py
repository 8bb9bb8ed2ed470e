"""The child process of `bf16.py`: does bf16 work on this processor, and how fast? Run as a script, never imported.

Prints one JSON object per attempt, one per line. Each attempt is its own process, forked before the first product:
an instruction that traps kills that process only, and oneDNN reads its limit once, before its first use.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from protorel.encoders.products import use_fast_products

ROUNDS = 3
STATEMENTS, TOKENS, WIDTH, HEADS, INNER = 16, 36, 384, 12, 1536
"""One layer of MiniLM on one chunk of a batch, in fp32 by the faster library."""
HOPELESS = 0.2
"""Below this speed-up a product comes from reference code; a layer would take seconds."""


def main(limits: list[str]) -> None:
    """Try bf16 with the environment as it is, then with each limit until one works."""
    torch.set_num_threads(1)
    for limit in ["", *limits]:
        found = attempt(limit)
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
        if "ratio" in found:
            return


def attempt(limit: str) -> dict[str, Any]:
    """Measure in a forked process and return the result, or the signal that killed it. Without `fork`, measure here."""
    if not hasattr(os, "fork"):
        return {"limit": limit, **measured()}
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        if limit:
            os.environ["ONEDNN_MAX_CPU_ISA"] = limit
        try:
            os.write(writing, json.dumps(measured()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        text = stream.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return {"limit": limit, "signal": os.WTERMSIG(status)}
    return {"limit": limit, **(json.loads(text) if text else {"problem": "the probe ended without a result"})}


def measured() -> dict[str, Any]:
    """Return the speed-up of bf16 over fp32 when training a layer, in processor time."""
    try:
        small = {bf16: seconds(product(bf16)) for bf16 in (False, True)}
        if small[False] < HOPELESS * small[True]:
            return {"ratio": small[False] / small[True]}
        both = {bf16: layer_step(bf16) for bf16 in (False, True)}
        for step in both.values():
            step()
        rounds = [[seconds(both[bf16]) for bf16 in (False, True)] for _ in range(ROUNDS)]
        fp32, bf16 = (min(times) for times in zip(*rounds, strict=True))
        return {"ratio": fp32 / bf16}
    except RuntimeError as problem:
        return {"problem": str(problem).split("\n")[0][:200] or type(problem).__name__}


def product(bf16: bool) -> Callable[[], object]:
    """Return a function that computes a small product, after a first call that compiles it."""
    left = torch.full((256, 256), 0.5)

    def take() -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            return left @ left

    if not bool(take().isfinite().all()):
        raise RuntimeError("expected a finite product, got NaN or infinity")
    return take


class Layer(nn.Module):
    """A layer of a transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.project, self.join = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.widen, self.narrow = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Attend, then widen and narrow."""
        query, key, value = self.project(states).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        # Separate products, as in padding-free training: the backward pass of torch's fused attention is slow in bf16.
        seen = ((query / (WIDTH // HEADS) ** 0.5) @ key.transpose(2, 3)).softmax(-1).to(value.dtype) @ value
        seen = seen.transpose(1, 2).flatten(2)
        states = self.norms[0](states + F.dropout(self.join(seen), 0.1))
        wide: torch.Tensor = self.norms[1](states + F.dropout(self.narrow(F.gelu(self.widen(states))), 0.1))
        return wide


def layer_step(bf16: bool) -> Callable[[], object]:
    """Return a function that runs a transformer layer forward and backward."""
    torch.manual_seed(0)
    layer = Layer()
    use_fast_products(layer)
    states = torch.randn(STATEMENTS, TOKENS, WIDTH, requires_grad=True)

    def take() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            out = layer(states)
        out.float().square().mean().backward()

    return take


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a function call; other programs do not count."""
    began = time.process_time()
    work()
    return max(time.process_time() - began, 1e-6)


if __name__ == "__main__":
    main(sys.argv[1:])
