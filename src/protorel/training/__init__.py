"""Training: the one loop, checkpoints, pretraining, supervised and few-shot tuning."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.recipes import (
        FinetuneRecipe,
        Recipe,
        SupervisedRecipe,
        load_finetune_recipe,
        load_recipe,
        recipe_names,
        recipe_of,
    )
    from protorel.training.building import build_encoder
    from protorel.training.checkpoint import has_checkpoint
    from protorel.training.data.small_data import check_at_once
    from protorel.training.journal import read_journal
    from protorel.training.loop import Watcher
    from protorel.training.precision import PrecisionChoice, choose_precision, reads_words, rounds_products
    from protorel.training.pretraining import pretrain
    from protorel.training.settings_match import check_recipe, check_same, recipe_settings
    from protorel.training.steps.training_dynamics import has_training_dynamics, read_training_dynamics
    from protorel.training.tuning.best_epoch import TuningWarning
    from protorel.training.tuning.finetuning import finetune

__all__ = [
    "FinetuneRecipe",
    "PrecisionChoice",
    "Recipe",
    "SupervisedRecipe",
    "TuningWarning",
    "Watcher",
    "build_encoder",
    "check_at_once",
    "check_recipe",
    "check_same",
    "choose_precision",
    "finetune",
    "has_checkpoint",
    "has_training_dynamics",
    "load_finetune_recipe",
    "load_recipe",
    "pretrain",
    "read_journal",
    "read_training_dynamics",
    "reads_words",
    "recipe_names",
    "recipe_of",
    "recipe_settings",
    "rounds_products",
]

__getattr__ = lazy_names(__name__)
