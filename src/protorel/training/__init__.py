"""Who learns: recipes, the one loop, checkpoints, pretraining, tuning."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.recipes.pretraining import Recipe
    from protorel.recipes.reading import load_finetune_recipe, load_recipe, recipe_names, recipe_of
    from protorel.recipes.tuning import FinetuneRecipe, SupervisedRecipe
    from protorel.training.building import build_encoder
    from protorel.training.finetuning import finetune
    from protorel.training.held_out import TuningWarning
    from protorel.training.journal import read_journal
    from protorel.training.loop import Watcher
    from protorel.training.pretraining import pretrain

__all__ = [
    "FinetuneRecipe",
    "Recipe",
    "SupervisedRecipe",
    "TuningWarning",
    "Watcher",
    "build_encoder",
    "finetune",
    "load_finetune_recipe",
    "load_recipe",
    "pretrain",
    "read_journal",
    "recipe_names",
    "recipe_of",
]

__getattr__ = lazy_names(__name__)
