"""The child of `precision.py`: is bf16 usable on this processor, and how fast is it? Run as a script, never imported.

Prints one JSON object per attempt, one per line. Each attempt is a process of its own, forked before the first product:
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
"""One layer of MiniLM on the piece of a batch that is encoded at once, in fp32 by the faster library."""
HOPELESS = 0.2
"""A product this much slower than fp32 comes from reference code; a whole layer would take seconds."""


def main(limits: list[str]) -> None:
    """Try bf16 as the environment has it, then under each limit until one works."""
    torch.set_num_threads(1)
    for limit in ["", *limits]:
        found = attempt(limit)
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
        if "ratio" in found:
            return


def attempt(limit: str) -> dict[str, Any]:
    """Measure in a forked process; say by which signal it died, if it did. Without `fork`, measure here."""
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
    return {"limit": limit, **(json.loads(text) if text else {"problem": "the probe ended without a figure"})}


def measured() -> dict[str, Any]:
    """Return how many times as fast as in fp32 a layer learns in bf16, in seconds of the processor."""
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
    """Return a small product that was taken once already: what it needs is compiled."""
    left = torch.full((256, 256), 0.5)

    def take() -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            return left @ left

    if not bool(take().isfinite().all()):
        raise RuntimeError("a product of finite numbers is not finite")
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
        # Product by product, as training without padding does: torch's fused attention is slow in bf16 on its way back.
        seen = ((query / (WIDTH // HEADS) ** 0.5) @ key.transpose(2, 3)).softmax(-1).to(value.dtype) @ value
        seen = seen.transpose(1, 2).flatten(2)
        states = self.norms[0](states + F.dropout(self.join(seen), 0.1))
        wide: torch.Tensor = self.norms[1](states + F.dropout(self.narrow(F.gelu(self.widen(states))), 0.1))
        return wide


def layer_step(bf16: bool) -> Callable[[], object]:
    """Return one pass of a transformer layer and one back, as training takes it."""
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
    """Return the processor time that a piece of work takes: other programs' work does not count."""
    began = time.process_time()
    work()
    return max(time.process_time() - began, 1e-6)


if __name__ == "__main__":
    main(sys.argv[1:])
