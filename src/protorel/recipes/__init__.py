"""Recipes: every setting of a training, the YAML files that we ship, and how one is read. Nothing here needs torch."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.recipes.episodes import EpisodeRecipe
    from protorel.recipes.methods import LearnedSettings, MethodSettings
    from protorel.recipes.objective import ObjectiveSettings
    from protorel.recipes.pretraining import Recipe, TrainingSettings, WordEncoderSettings
    from protorel.recipes.reading import load_finetune_recipe, load_recipe, recipe_names, recipe_of
    from protorel.recipes.tuning import FinetuneRecipe, SupervisedRecipe

__all__ = [
    "EpisodeRecipe",
    "FinetuneRecipe",
    "LearnedSettings",
    "MethodSettings",
    "ObjectiveSettings",
    "Recipe",
    "SupervisedRecipe",
    "TrainingSettings",
    "WordEncoderSettings",
    "load_finetune_recipe",
    "load_recipe",
    "recipe_names",
    "recipe_of",
]

__getattr__ = lazy_names(__name__)
