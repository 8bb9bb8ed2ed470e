"""The few-shot methods with weights, by name: how one is made, kept in a run folder, and read back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from pydantic import TypeAdapter, ValidationError
from safetensors.torch import save_file

from protorel.encoders import load_module
from protorel.fewshot.episode_method import EpisodeMethod
from protorel.fewshot.gnn import GNN
from protorel.fewshot.meta_network import MetaNetwork
from protorel.fewshot.mlman import MLMAN
from protorel.fewshot.pair import Pair
from protorel.fewshot.siamese import Siamese
from protorel.fewshot.snail import SNAIL
from protorel.io import first_problem
from protorel.recipes import LearnedSettings, MethodSettings
from protorel.statements import BadInput

WEIGHTS = "method.safetensors"

LEARNED_METHODS: Mapping[str, type[EpisodeMethod]] = {
    "gnn": GNN,
    "meta_network": MetaNetwork,
    "mlman": MLMAN,
    "pair": Pair,
    "siamese": Siamese,
    "snail": SNAIL,
}
"""Methods with weights of their own, by name; their settings are in `protorel/recipes/methods.py`."""
_SETTINGS: TypeAdapter[MethodSettings] = TypeAdapter(LearnedSettings)


def make_method(settings: MethodSettings, *, width: int, seed: int) -> EpisodeMethod:
    """Make a method that has learned nothing yet; `width` is that of the vectors or states that it will read."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LEARNED_METHODS[settings.name](settings, width)


def method_record(method: EpisodeMethod) -> dict[str, Any]:
    """Return what must be known, besides the weights, to build a method again."""
    return {"width": method.width, "settings": method.settings.model_dump(mode="json")}


def save_method(method: EpisodeMethod, folder: Path) -> None:
    """Write method.safetensors."""
    save_file({name: tensor.cpu().contiguous() for name, tensor in method.state_dict().items()}, folder / WEIGHTS)


def load_method(folder: Path, record: Mapping[str, Any]) -> EpisodeMethod:
    """Build a method from what `method_record` said and read its weights from a folder."""
    try:
        settings, width = _SETTINGS.validate_python(record["settings"]), int(record["width"])
    except (KeyError, ValidationError) as problem:
        reason = (
            f"method.settings: {first_problem(problem)}" if isinstance(problem, ValidationError) else "lacks method"
        )
        raise BadInput(f"{folder / 'protorel.json'}: {reason}") from problem
    return load_module(
        lambda: make_method(settings, width=width, seed=0), folder / WEIGHTS, sizes="protorel.json"
    ).eval()
