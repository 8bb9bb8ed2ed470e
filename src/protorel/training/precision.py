"""Which precision a training uses: what the recipe asks for, settled by what this processor can do."""

from __future__ import annotations

import logging
import os
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

import torch

from protorel.encoders import WORD_KINDS, bf16_here
from protorel.fewshot import find_method
from protorel.model import is_run, read_record
from protorel.recipes import EpisodeRecipe, TrainingSettings, nothing_to_round
from protorel.statements import BadInput
from protorel.training.checkpoint import checkpoint_settings

Used = Literal["fp32", "bf16"]
OVERRIDE = "PROTOREL_PRECISION"
"""The environment variable that replaces `auto`, so that nothing is probed."""
_Settings = TypeVar("_Settings", bound=TrainingSettings)
_logger = logging.getLogger("protorel")


@dataclass(frozen=True, slots=True)
class PrecisionChoice:
    """The precision that a training uses, and why."""

    asked: str
    used: Used
    reason: str

    def as_json(self) -> dict[str, str]:
        """Return what a run's record says of it."""
        return asdict(self)


def settle_precision(recipe: _Settings, encoder: str, run: Path) -> tuple[_Settings, PrecisionChoice]:
    """Return the recipe with `auto` replaced by fp32 or bf16, and why.

    A run that goes on keeps the precision that it was started with.

    Args:
        recipe: What is to be followed.
        encoder: The name of the encoder or run that it starts from.
        run: The folder of the run, new or stopped.

    Raises:
        BadInput: bf16 was asked for, or the run was started with it, and it cannot be used here.
    """
    started = checkpoint_settings(run / "state")
    recorded = (started or {}).get("recipe", {}).get("precision")
    if recipe.precision == "auto" and recorded in ("fp32", "bf16"):
        choice = PrecisionChoice("auto", recorded, "the run was started with it")
        if recorded == "bf16":
            _check_usable(f"{run}: this run was started in bf16", "Resume it where bf16 works, or choose another --out")
    else:
        choice = choose_precision(recipe.precision, rounds=rounds_products(recipe, encoder))
    return recipe.model_copy(update={"precision": choice.used}), choice


def choose_precision(asked: str, *, rounds: bool) -> PrecisionChoice:
    """Settle `auto`, and refuse bf16 where it cannot be used.

    `rounds` says whether there is anything to round: a transformer, or a method with large products of its own.
    """
    wanted = _override() if asked == "auto" else asked
    if asked == "auto" and not rounds:
        return PrecisionChoice(asked, "fp32", "word encoders learn in fp32")
    if wanted == "fp32":
        return PrecisionChoice(asked, "fp32", _by_name(asked))
    if not rounds:
        raise nothing_to_round()
    if torch.cuda.is_available():
        return _on_gpu(asked, wanted)
    if wanted == "bf16":
        _check_usable(f"{OVERRIDE}=bf16" if asked == "auto" else "precision=bf16", "Set it to auto or fp32")
        return PrecisionChoice(asked, "bf16", _by_name(asked))
    found = bf16_here()
    _say_once(str(found) if found.pays else f"{found}; using fp32")
    return PrecisionChoice(asked, "bf16" if found.pays else "fp32", str(found))


def reads_words(encoder: str) -> bool:
    """Tell by its name or its run's record whether an encoder reads words, so that there is nothing to round in it."""
    if encoder in WORD_KINDS:
        return True
    return is_run(Path(encoder)) and read_record(Path(encoder))["encoder"].get("kind") in WORD_KINDS


def rounds_products(recipe: TrainingSettings, encoder: str) -> bool:
    """Tell whether a training has anything to round: a transformer, or a method with large products of its own."""
    method = recipe.method if isinstance(recipe, EpisodeRecipe) else None
    return (method is not None and find_method(method.name).load().rounds) or not reads_words(encoder)


def _check_usable(where: str, hint: str) -> None:
    if torch.cuda.is_available():
        return
    found = bf16_here()
    if not found.usable:
        raise BadInput(f"{where}: {found}. {hint}")


def _on_gpu(asked: str, wanted: str) -> PrecisionChoice:
    if torch.cuda.is_bf16_supported(including_emulation=False):
        return PrecisionChoice(asked, "bf16", "this GPU has bf16")
    if wanted == "bf16":
        raise BadInput("precision=bf16: expected a GPU with bf16, got one without. Set precision=auto or fp32")
    return PrecisionChoice(asked, "fp32", "this GPU has no bf16")


def _override() -> str:
    value = os.environ.get(OVERRIDE) or "auto"
    if value not in ("auto", "fp32", "bf16"):
        raise BadInput(f"{OVERRIDE}: expected auto, fp32 or bf16, got {value!r}. Set one of these, or unset it")
    return value


def _by_name(asked: str) -> str:
    return f"set by {OVERRIDE}" if asked == "auto" else "asked for"


@cache
def _say_once(sentence: str) -> None:
    _logger.info(sentence)
