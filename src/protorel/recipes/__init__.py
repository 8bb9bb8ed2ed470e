"""Recipes: every setting of a training, the YAML files that we ship, and their reader. Nothing here needs torch."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.recipes.checks import (
        check_low_rank,
        check_rounding,
        check_texts,
        check_tuning,
        nothing_to_round,
        start_of,
    )
    from protorel.recipes.finetuning import EpisodeRecipe, ExtractionRecipe, FinetuneRecipe, SupervisedRecipe
    from protorel.recipes.names import WORD_ENCODERS, CombineName, ReadoutName, SimilarityName, VectorMethodName
    from protorel.recipes.objective import ContrastTerm, MatchingTerm, ObjectiveSettings, PrototypeTerm
    from protorel.recipes.overrides import check_overrides, dotted
    from protorel.recipes.pretraining import Recipe, TrainingSettings, WordEncoderSettings
    from protorel.recipes.reading import (
        load_finetune_recipe,
        load_recipe,
        recipe_names,
        recipe_of,
    )

__all__ = [
    "CombineName",
    "ContrastTerm",
    "EpisodeRecipe",
    "ExtractionRecipe",
    "FinetuneRecipe",
    "MatchingTerm",
    "ObjectiveSettings",
    "PrototypeTerm",
    "ReadoutName",
    "Recipe",
    "SimilarityName",
    "SupervisedRecipe",
    "TrainingSettings",
    "VectorMethodName",
    "WORD_ENCODERS",
    "WordEncoderSettings",
    "check_low_rank",
    "check_overrides",
    "check_rounding",
    "check_texts",
    "check_tuning",
    "dotted",
    "load_finetune_recipe",
    "load_recipe",
    "nothing_to_round",
    "recipe_names",
    "recipe_of",
    "start_of",
]

__getattr__ = lazy_names(__name__)
