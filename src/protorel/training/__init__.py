"""Who learns: recipes, the one loop, checkpoints, pretraining."""

from protorel.training.building import build_encoder
from protorel.training.config import Recipe
from protorel.training.journal import read_journal
from protorel.training.loop import Watcher
from protorel.training.pretraining import pretrain
from protorel.training.recipes import load_recipe, recipe_names, recipe_of

__all__ = ["Recipe", "Watcher", "build_encoder", "load_recipe", "pretrain", "read_journal", "recipe_names", "recipe_of"]
