"""Do a recipe and its inputs fit each other? Commands check before torch is imported, trainings check again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from protorel.io import kind
from protorel.recipes.finetuning import EpisodeRecipe, ExtractionRecipe, FinetuneRecipe
from protorel.recipes.names import WORD_ENCODERS
from protorel.recipes.objective import ObjectiveSettings
from protorel.recipes.pretraining import TrainingSettings
from protorel.statements import BadInput

if TYPE_CHECKING:
    from protorel.statements import Descriptions


def check_texts(objective: ObjectiveSettings, descriptions: Descriptions | None, *, phrase: str | None) -> None:
    """Raise `BadInput` if the objective reads texts and there are none, or texts or a phrase are given and not read."""
    _check_texts(objective.text.weight, descriptions, phrase=phrase)


def _check_texts(weight: float, descriptions: Descriptions | None, *, phrase: str | None) -> None:
    if weight and descriptions is None:
        raise BadInput(
            f"objective.text.weight={weight:g} compares statements with the texts of relations. "
            "Give their names and descriptions with --descriptions"
        )
    _check_phrase(phrase, reads_texts=bool(weight))
    if descriptions is not None and not weight:
        raise BadInput(
            f"{descriptions.name}: no term of the objective reads descriptions. Set objective.text.weight=1, "
            "or choose a recipe that has it"
        )


def check_tuning(recipe: FinetuneRecipe, *, dev: bool, descriptions: Descriptions | None) -> None:
    """Raise `BadInput` for inputs that the kind of tuning does not use."""
    if isinstance(recipe, EpisodeRecipe):
        _check_texts_of_episodes(recipe, descriptions)
        if dev:
            raise BadInput("tuning on episodes has no epochs to choose from. Leave --dev out")
    elif isinstance(recipe, ExtractionRecipe):
        _check_texts(recipe.objective.text.weight, descriptions, phrase=recipe.phrase)
    elif descriptions is not None:
        raise BadInput(f"{descriptions.name}: supervised tuning reads no descriptions. Leave --descriptions out")
    else:
        _check_phrase(recipe.phrase, reads_texts=False)


def start_of(model: Path | str | None, recipe: FinetuneRecipe) -> str:
    """Return the name of what is tuned: the model, or else the recipe's encoder."""
    if not isinstance(model, (Path, str, type(None))):
        raise BadInput(f"model: expected the name or folder of a run or an encoder, got {kind(model)}")
    if model is None and recipe.encoder is None:
        raise BadInput(
            f"recipe {recipe.name}: expected an encoder to start from, got none. Name a run or an encoder with --model"
        )
    return str(model if model is not None else recipe.encoder)


def check_rounding(recipe: TrainingSettings, start: str) -> None:
    """Raise `BadInput` for bf16 with a word encoder, unless a few-shot method with its own products is on top."""
    method = recipe.method if isinstance(recipe, EpisodeRecipe) else None
    if recipe.precision == "bf16" and start in WORD_ENCODERS and method is None:
        raise nothing_to_round()


def nothing_to_round() -> BadInput:
    """Return the error for bf16 where nothing can be rounded."""
    return BadInput(
        "precision=bf16: expected a transformer or the method mlman, got a word encoder, which learns in fp32. "
        "Set precision=auto or fp32"
    )


def check_low_rank(recipe: TrainingSettings, *, words: bool) -> None:
    """Raise `BadInput` for training in low rank where the encoder is one of words."""
    if recipe.low_rank is not None and words:
        raise BadInput(
            f"low_rank: expected a transformer, got a word encoder, which learns whole matrices. Leave "
            f"low_rank={recipe.low_rank} out"
        )


def _check_texts_of_episodes(recipe: EpisodeRecipe, descriptions: Descriptions | None) -> None:
    """Raise `BadInput` if terms read texts and there are none, or texts are given and not read."""
    if recipe.reads_texts and descriptions is None:
        raise BadInput(
            "objective.text and objective.both compare statements with the texts of relations. "
            "Give their names and descriptions with --descriptions"
        )
    _check_phrase(recipe.phrase, reads_texts=recipe.reads_texts)
    if descriptions is not None and not recipe.reads_texts:
        raise BadInput(
            f"{descriptions.name}: no term of the objective reads descriptions. Set objective.text.weight=1 or "
            "objective.both.weight=1"
        )


def _check_phrase(phrase: str | None, *, reads_texts: bool) -> None:
    """Raise `BadInput` for a phrase that nothing reads."""
    if phrase is not None and not reads_texts:
        raise BadInput(f"phrase={phrase!r}: no term of the objective reads the names of relations. Leave it out")
