"""Whether what is given with a recipe fits it: asked by commands before torch is imported, and by trainings again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from protorel.recipes.episodes import EpisodeRecipe
from protorel.recipes.objective import ObjectiveSettings
from protorel.recipes.tuning import FinetuneRecipe
from protorel.statements import BadInput

if TYPE_CHECKING:
    from protorel.statements import Descriptions


def check_texts(objective: ObjectiveSettings, descriptions: Descriptions | None, *, phrase: str | None) -> None:
    """Refuse an objective over texts without texts, and texts or a phrase that no term of the objective reads."""
    if objective.text.weight and descriptions is None:
        raise BadInput(
            f"objective.text.weight={objective.text.weight:g} compares statements with what relations mean: "
            "name a file with their names and descriptions by --descriptions"
        )
    _check_phrase(phrase, reads_texts=bool(objective.text.weight))
    if descriptions is not None and not objective.text.weight:
        raise BadInput(
            f"{descriptions.name}: no term of the objective reads descriptions; set objective.text.weight=1, "
            "or choose a recipe that has it"
        )


def check_tuning(recipe: FinetuneRecipe, *, dev: bool, descriptions: Descriptions | None) -> None:
    """Refuse what the kind of tuning has no use for, before any work."""
    if isinstance(recipe, EpisodeRecipe):
        _check_texts_of_episodes(recipe, descriptions)
        if dev:
            raise BadInput("tuning on episodes has no best epoch to choose: leave --dev out")
    elif descriptions is not None:
        raise BadInput(f"{descriptions.name}: supervised tuning reads no descriptions: leave --descriptions out")
    else:
        _check_phrase(recipe.phrase, reads_texts=False)


def start_of(model: Path | str | None, recipe: FinetuneRecipe) -> str:
    """Return what is tuned: the model that was given, or else the recipe's encoder."""
    if model is None and recipe.encoder is None:
        raise BadInput(
            f"recipe {recipe.name}: expected an encoder to start from, got none; name a run or an encoder by --model"
        )
    return str(model if model is not None else recipe.encoder)


def _check_texts_of_episodes(recipe: EpisodeRecipe, descriptions: Descriptions | None) -> None:
    """Refuse terms over texts without texts, and texts that no term reads."""
    if recipe.reads_texts and descriptions is None:
        raise BadInput(
            "objective.text and objective.both compare statements with what relations mean: "
            "name a file with their names and descriptions by --descriptions"
        )
    _check_phrase(recipe.phrase, reads_texts=recipe.reads_texts)
    if descriptions is not None and not recipe.reads_texts:
        raise BadInput(
            f"{descriptions.name}: no term of the objective reads descriptions; set objective.text.weight=1 or "
            "objective.both.weight=1"
        )


def _check_phrase(phrase: str | None, *, reads_texts: bool) -> None:
    """Refuse a phrase around names that nothing reads."""
    if phrase is not None and not reads_texts:
        raise BadInput(f"phrase={phrase!r}: no term of the objective reads what relations are called; leave it out")
