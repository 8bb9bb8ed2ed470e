"""The page of recipes names every recipe and every key, with its default."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from protorel.fewshot import trainable_methods
from protorel.recipes import (
    EpisodeRecipe,
    ExtractionRecipe,
    FinetuneRecipe,
    Recipe,
    SupervisedRecipe,
    TrainingSettings,
    recipe_names,
)
from protorel.recipes.objective import ObjectiveSettings
from protorel_paper.recipes import RECIPES

NAME = "docs/reference/recipes.md"
TEXT = (Path(__file__).parents[2] / NAME).read_text(encoding="utf-8")
WORD_ENCODERS = ("cnn", "pcnn", "rnn", "self_attention")
SECTIONS = {
    "## Keys of every training": TrainingSettings,
    "## Keys of pretrain": Recipe,
    "### kind: supervised": SupervisedRecipe,
    "### kind: episodes": EpisodeRecipe,
    "### kind: extraction": ExtractionRecipe,
}


@pytest.mark.parametrize("name", recipe_names(also_in=RECIPES))
def test_every_recipe_is_named(name):
    assert f"`{name}`" in TEXT


@pytest.mark.parametrize("heading", SECTIONS)
def test_every_key_of_a_kind_is_there_with_its_default(heading):
    kind = SECTIONS[heading]
    elsewhere = {"kind", "encoder", "judged_by"} if issubclass(kind, FinetuneRecipe) else set()
    if kind is not TrainingSettings:
        elsewhere |= leaves(TrainingSettings).keys()
    other_tables = WORD_ENCODERS if kind is not Recipe else (*WORD_ENCODERS, "objective")
    expected = {
        key: default
        for key, default in leaves(kind).items()
        if key not in elsewhere and key.partition(".")[0] not in other_tables
    }
    assert settings_in(first_cells(heading)) == expected


def test_every_term_of_the_objective_is_there_with_its_keys():
    terms = rows_after("### Objective of pretrain")
    expected = leaves(ObjectiveSettings)
    assert f"`objective.reading={expected.pop('reading')}`" in TEXT
    found: dict[str, Any] = {}
    for term, keys, _ in terms:
        found |= {f"{term}.weight": 0.0}
        found |= {f"{term}.{key}": value for key, value in settings_in([keys]).items()}
    assert found == expected


def test_every_key_of_a_few_shot_method_and_of_a_word_encoder_is_there():
    methods = {name: method.settings_class() for name, method in trainable_methods().items()}
    tables = [
        (rows_after("| method | keys"), methods),
        (rows_after("## Keys of word encoders"), {name: settings_of(name) for name in WORD_ENCODERS}),
    ]
    for rows, classes in tables:
        assert {name for name, _ in rows} == classes.keys()
        for name, keys in rows:
            expected = leaves(classes[name])
            expected.pop("name", None)
            assert settings_in([keys]) == expected


def test_the_commands_run_and_every_link_leads_somewhere(page):
    recipes = page(NAME)
    assert len(recipes.run_commands()) == 2
    assert recipes.lost_links() == []


def settings_of(encoder: str) -> type[BaseModel]:
    return type(TrainingSettings.model_fields[encoder].default)


def leaves(kind: type[BaseModel], prefix: str = "") -> dict[str, Any]:
    """Return the default of every key by its dotted name, tuples as lists."""
    found: dict[str, Any] = {}
    for name, field in kind.model_fields.items():
        if isinstance(field.default, BaseModel):
            found |= leaves(type(field.default), f"{prefix}{name}.") | defaults(field.default, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = as_lists(field.default)
    return found


def defaults(settings: BaseModel, prefix: str) -> Mapping[str, Any]:
    return {f"{prefix}{name}": as_lists(value) for name, value in settings if not isinstance(value, BaseModel)}


def as_lists(value: Any) -> Any:
    return [as_lists(one) for one in value] if isinstance(value, tuple) else value


def rows_after(start: str) -> list[list[str]]:
    """Return the cells of the first table behind a text, without its header; code of the first cell without ticks."""
    table = re.search(r"(?:^\|.*\n)+", TEXT[TEXT.index(start) :], flags=re.MULTILINE)
    assert table is not None
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table[0].splitlines()]
    return [[first.strip("`"), *others] for first, *others in cells[2:]]


def first_cells(heading: str) -> list[str]:
    return [f"`{first}`" for first, *_ in rows_after(heading)]


def settings_in(cells: list[str]) -> dict[str, Any]:
    found = re.findall(r"`([\w.]+)=([^`]*)`", " ".join(cells))
    assert len(dict(found)) == len(found)
    return {key: yaml.safe_load(value) for key, value in found}
