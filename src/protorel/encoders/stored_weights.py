"""Modules read back from a folder: sizes from JSON, weights from safetensors, and the two must fit each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from protorel.encoders.finite import check_weights
from protorel.io.parsing import shown
from protorel.statements import BadInput

_Module = TypeVar("_Module", bound=nn.Module)


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Read a file of safetensors, all of whose numbers are finite, or say in one line why that cannot be done."""
    try:
        tensors = load_file(path)
    except FileNotFoundError:
        raise BadInput(f"{path}: no such file") from None
    except (OSError, SafetensorError, ValueError, KeyError) as problem:
        raise BadInput(f"{path}: cannot be read as safetensors ({_reason(problem)})") from problem
    check_weights(tensors.items(), path)
    return tensors


def load_module(make: Callable[[], _Module], path: Path, *, sizes: str) -> _Module:
    """Make a module and read its weights; `sizes` says in messages where its sizes are from.

    It is made first without memory: sizes that are not those of the weights cost nothing, however large they are.
    """
    weights = read_tensors(path)
    try:
        with torch.device("meta"):
            wanted = {name: tuple(tensor.shape) for name, tensor in make().state_dict().items()}
    except Exception as problem:  # whatever the layers make of sizes that cannot be
        raise BadInput(
            f"{path}: no such module can be made with the sizes in {sizes} ({_reason(problem)})"
        ) from problem
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            raise BadInput(
                f"{path}: {shown(name)}: expected the shape {wanted.get(name, 'of no such tensor')} by the sizes in "
                f"{sizes}, got {found.get(name, 'none')}"
            )
    module = make()
    module.load_state_dict(weights)
    return module


def _reason(problem: Exception) -> str:
    """Return what a library says of a problem, in one line that is not too long."""
    text = " ".join(str(problem).split())
    return f"{type(problem).__name__}: {text[:200]}" if text else type(problem).__name__
