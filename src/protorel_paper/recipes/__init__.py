"""Recipes of the paper's experiments, as YAML files: pass `RECIPES` to `load_recipe` as the folder to look in too."""

from pathlib import Path

RECIPES = Path(__file__).parent
