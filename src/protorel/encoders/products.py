"""Matrix products in fp32, by the faster of torch's two libraries on this processor.

torch multiplies fp32 matrices with MKL, which uses its widest instructions on Intel processors only. oneDNN, which is
part of torch, uses them wherever they exist: on an AMD processor with AVX-512 it is more than twice as fast. The
results are equal up to rounding.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor, nn

OVERRIDE = "PROTOREL_PRODUCTS"
"""The environment variable that sets the library, `default` or `onednn`, without measuring."""
_PAYS_FROM = 1.5
"""The speed-up over MKL from which oneDNN is used. Far from 1, so that a machine always decides the same."""
_ROUNDS = 5
_ROWS, _INNER, _OUTER = 256, 384, 1536


def linear(
    inputs: Float[Tensor, "*rows inner"], weight: Float[Tensor, "outer inner"], bias: Float[Tensor, " outer"] | None
) -> Float[Tensor, "*rows outer"]:
    """Return the result of `torch.nn.functional.linear`, with gradients."""
    if not _by_onednn(inputs, weight):
        return F.linear(inputs, weight, bias)
    found: Tensor = _Linear.apply(inputs, weight, bias)  # type: ignore[no-untyped-call]
    return found


class FastLinear(nn.Linear):
    """A linear layer that uses the faster library."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the projection of each row."""
        return linear(input, self.weight, self.bias)


def use_fast_products(module: nn.Module) -> None:
    """Make all plain linear layers of a module use the faster library; weights stay the same."""
    for layer in module.modules():
        if type(layer) is nn.Linear:
            layer.__class__ = FastLinear


@cache
def onednn_is_faster() -> bool:
    """Return whether oneDNN is much faster than torch's default for fp32 here; measured once, in 0.1 s."""
    asked = os.environ.get(OVERRIDE)
    if asked in ("default", "onednn"):
        return asked == "onednn"
    if not torch.backends.mkldnn.is_available() or not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        return False
    before = torch.get_num_threads()
    try:
        # In another thread, so that the number of threads of this one does not change.
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(_measured).result() >= _PAYS_FROM
    except RuntimeError:  # a library that does not support this product
        return False
    finally:
        torch.set_num_threads(before)


def _measured() -> float:
    """Return the speed-up of oneDNN over the default, on one core."""
    torch.set_num_threads(1)
    with torch.no_grad():
        left, right = torch.full((_ROWS, _INNER), 0.5), torch.full((_OUTER, _INNER), 0.5)
        times: dict[Callable[[Tensor, Tensor], Tensor], list[float]] = {_product: [], F.linear: []}
        for _ in range(1 + _ROUNDS):
            for take, of in times.items():
                began = time.thread_time()
                take(left, right)
                of.append(time.thread_time() - began)
    onednn, default = (min(of[1:]) for of in times.values())  # the first call compiles
    return default / max(onednn, 1e-9)


def _by_onednn(inputs: Tensor, weight: Tensor) -> bool:
    plain = inputs.dtype == weight.dtype == torch.float32 and inputs.device.type == weight.device.type == "cpu"
    # Exported graphs and rounded products stay with torch.
    special = torch.is_autocast_enabled("cpu") or torch.compiler.is_compiling() or torch.jit.is_tracing()  # type: ignore[no-untyped-call,attr-defined]
    return plain and not special and inputs.dim() > 1 and inputs.numel() > 0 and onednn_is_faster()


def _product(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return left times right transposed, plus the bias, by oneDNN."""
    found: Tensor = torch.ops.mkldnn._linear_pointwise(left, right, bias, "none", [], "")
    return found


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(inputs, weight)
        return _product(inputs.flatten(0, -2), weight, bias).view(*inputs.shape[:-1], len(weight))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        inputs, weight = ctx.saved_tensors
        rows, sloping = inputs.flatten(0, -2), slope.flatten(0, -2)
        needs_inputs, needs_weight, needs_bias = ctx.needs_input_grad
        return (
            _product(sloping, weight.t()).view_as(inputs) if needs_inputs else None,
            _product(sloping.t(), rows.t()) if needs_weight else None,
            sloping.sum(0) if needs_bias else None,
        )
