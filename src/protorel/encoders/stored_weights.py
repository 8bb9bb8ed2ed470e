"""Modules read back from a folder: sizes from JSON, weights from safetensors, and the two must fit each other."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook

from protorel.batches import check_config
from protorel.encoders.finite import check_weights
from protorel.io import shown
from protorel.statements import BadInput

_Module = TypeVar("_Module", bound=nn.Module)
_SPARE_TENSORS, _SPARE_NUMBERS = 1_000, 10_000_000
"""What an encoder may have beyond twice its weights: a pooler that was not stored, tables of places."""


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


def check_sizes(folder: Path) -> None:
    """Refuse an encoder whose config.json asks for much more memory than its weights take.

    It is made without memory. Of what it registers, everything is counted, so that one of very many layers is refused
    as soon as there are more than the weights can fill.
    """
    from transformers import AutoConfig, AutoModel

    check_config(folder)
    path = folder / "config.json"
    tensors = numbers = 0
    for file in sorted(folder.glob("*.safetensors")):
        with safe_open(file, "pt") as weights:
            shapes = [weights.get_slice(name).get_shape() for name in weights.keys()]  # noqa: SIM118
        tensors, numbers = tensors + len(shapes), numbers + sum(map(math.prod, shapes))
    if not tensors:
        return  # the library says which files are missing
    left = 2 * tensors + _SPARE_TENSORS

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise BadInput(f"{path}: expected an encoder of about {tensors} tensors, as many as its weights are")

    config = AutoConfig.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
    hook = register_module_parameter_registration_hook(count)
    try:
        with torch.device("meta"):
            model = AutoModel.from_config(config, trust_remote_code=False)
    finally:
        hook.remove()
    wanted = sum(tensor.numel() for tensor in (*model.parameters(), *model.buffers()))
    if wanted > 2 * numbers + _SPARE_NUMBERS:
        raise BadInput(f"{path}: asks for an encoder of {wanted:,} numbers, its weights are {numbers:,}")


def _reason(problem: Exception) -> str:
    """Return what a library says of a problem, in one line that is not too long."""
    text = " ".join(str(problem).split())
    return f"{type(problem).__name__}: {text[:200]}" if text else type(problem).__name__
