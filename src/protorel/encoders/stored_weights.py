"""Loading modules: sizes from JSON, weights from safetensors, and a check that both fit."""

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
"""What an encoder may have beyond twice its weights: a pooler that was not stored, position tables."""


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Read a safetensors file; refuse one that is damaged or has numbers that are not finite."""
    try:
        tensors = load_file(path)
    except FileNotFoundError:
        raise BadInput(f"{path}: expected a file with weights, got no such file") from None
    except (OSError, SafetensorError, ValueError, KeyError) as problem:
        raise BadInput(f"{path}: expected a safetensors file, got an error ({_reason(problem)})") from problem
    check_weights(tensors.items(), path)
    return tensors


def load_module(make: Callable[[], _Module], path: Path, *, sizes: str) -> _Module:
    """Make a module and load its weights; `sizes` is the file of its sizes, for error messages.

    It is made without memory first, so that wrong sizes cost nothing, however large they are.
    """
    weights = read_tensors(path)
    try:
        with torch.device("meta"):
            expected = {name: tuple(tensor.shape) for name, tensor in make().state_dict().items()}
    except Exception as problem:  # layers raise anything for impossible sizes
        raise BadInput(f"{path}: expected valid sizes in {sizes}, got an error ({_reason(problem)})") from problem
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise BadInput(
                f"{path}: {shown(name)}: expected the shape {expected.get(name, 'of no such tensor')} by the sizes in "
                f"{sizes}, got {found.get(name, 'none')}"
            )
    module = make()
    module.load_state_dict(weights)
    return module


def check_sizes(folder: Path) -> None:
    """Refuse an encoder whose config.json asks for much more memory than its weights take.

    It is made without memory. Registered parameters are counted, so that a model with far too many layers is refused
    early.
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
        return  # loading reports which files are missing
    left = 2 * tensors + _SPARE_TENSORS

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise BadInput(
                f"{path}: expected an encoder of about {tensors} tensors, as many as its weights have, got more"
            )

    config = AutoConfig.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
    hook = register_module_parameter_registration_hook(count)
    try:
        with torch.device("meta"):
            model = AutoModel.from_config(config, trust_remote_code=False)
    finally:
        hook.remove()
    asked = sum(tensor.numel() for tensor in (*model.parameters(), *model.buffers()))
    if asked > 2 * numbers + _SPARE_NUMBERS:
        raise BadInput(
            f"{path}: expected an encoder of about {numbers:,} parameters, as many as its weights have, got {asked:,}"
        )


def _reason(problem: Exception) -> str:
    """Return the message of an error as one short line."""
    text = " ".join(str(problem).split())
    return f"{type(problem).__name__}: {text[:200]}" if text else type(problem).__name__
