"""Who learns: recipes, the one loop, checkpoints, pretraining, tuning."""

from protorel.training.building import build_encoder
from protorel.training.config import Recipe
from protorel.training.finetune_config import FinetuneRecipe, SupervisedRecipe
from protorel.training.finetuning import finetune
from protorel.training.held_out import TuningWarning
from protorel.training.journal import read_journal
from protorel.training.loop import Watcher
from protorel.training.pretraining import pretrain
from protorel.training.recipes import load_finetune_recipe, load_recipe, recipe_names, recipe_of

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
