"""The precision of a training: the recipe's, or for `auto` the best one on this processor."""

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
from protorel.model import is_run, load_record
from protorel.recipes import EpisodeRecipe, TrainingSettings, nothing_to_round
from protorel.statements import BadInput
from protorel.training.checkpoint import checkpoint_settings

Used = Literal["fp32", "bf16"]
OVERRIDE = "PROTOREL_PRECISION"
"""The environment variable that replaces `auto`, so that no probe runs."""
_Settings = TypeVar("_Settings", bound=TrainingSettings)
_logger = logging.getLogger("protorel")


@dataclass(frozen=True, slots=True)
class PrecisionChoice:
    """The precision that a training uses, and why."""

    asked: str
    used: Used
    reason: str

    def as_json(self) -> dict[str, str]:
        """Return the section `precision` of a run's record."""
        return asdict(self)


def settle_precision(recipe: _Settings, encoder: str, run: Path) -> tuple[_Settings, PrecisionChoice]:
    """Return the recipe with `auto` replaced by fp32 or bf16, and why.

    A resumed run keeps its precision.

    Args:
        recipe: The recipe of the run.
        encoder: The name of the encoder or run that training starts from.
        run: The run folder, of a new or a stopped run.

    Raises:
        BadInput: bf16 is set, or the run was started with it, and it cannot be used here.
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
    """Return the precision for `asked`; raise `BadInput` for bf16 if it cannot be used.

    `rounds` says whether anything can be rounded: a transformer, or a few-shot method with large products.
    """
    precision = _override() if asked == "auto" else asked
    if asked == "auto" and not rounds:
        return PrecisionChoice(asked, "fp32", "word encoders learn in fp32")
    if precision == "fp32":
        return PrecisionChoice(asked, "fp32", _by_name(asked))
    if not rounds:
        raise nothing_to_round()
    if torch.cuda.is_available():
        return _on_gpu(asked, precision)
    if precision == "bf16":
        _check_usable(f"{OVERRIDE}=bf16" if asked == "auto" else "precision=bf16", "Set it to auto or fp32")
        return PrecisionChoice(asked, "bf16", _by_name(asked))
    found = bf16_here()
    _say_once(str(found) if found.pays else f"{found}; using fp32")
    return PrecisionChoice(asked, "bf16" if found.pays else "fp32", str(found))


def reads_words(encoder: str) -> bool:
    """Tell, by name or by its run's record, whether an encoder is a word encoder, which is never rounded.

    The encoder need not exist yet. No training starts from a word encoder on the hub.
    """
    if encoder in WORD_KINDS:
        return True
    return is_run(Path(encoder)) and load_record(Path(encoder)).encoder.kind in WORD_KINDS


def rounds_products(recipe: TrainingSettings, encoder: str) -> bool:
    """Tell whether a training can use bf16: it has a transformer, or a few-shot method with large products."""
    method = recipe.method if isinstance(recipe, EpisodeRecipe) else None
    return (method is not None and find_method(method.name).load().rounds) or not reads_words(encoder)


def _check_usable(where: str, hint: str) -> None:
    if torch.cuda.is_available():
        return
    found = bf16_here()
    if not found.usable:
        raise BadInput(f"{where}: {found}. {hint}")


def _on_gpu(asked: str, precision: str) -> PrecisionChoice:
    if torch.cuda.is_bf16_supported(including_emulation=False):
        return PrecisionChoice(asked, "bf16", "this GPU has bf16")
    if precision == "bf16":
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
