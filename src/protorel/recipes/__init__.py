"""Recipes: one YAML file for each row of the paper's tables, and a few of our own."""
