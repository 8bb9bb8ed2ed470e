"""Reading recipes: a YAML file, by the name of one that we ship or by path, with changed settings.

A recipe with a `kind` is for fine-tuning; one without is for pretraining.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from protorel.fewshot import MethodSettings, trainable_methods
from protorel.io import as_path, is_folder, is_there, kind, parse_yaml, printable, read_text, shown
from protorel.recipes.finetuning import EpisodeRecipe, ExtractionRecipe, FinetuneRecipe, SupervisedRecipe
from protorel.recipes.overrides import Changes, change_settings, dotted, no_changes
from protorel.recipes.pretraining import Recipe, TrainingSettings
from protorel.statements import BadInput

_SHIPPED = files("protorel") / "recipes"
_KINDS: Mapping[str, type[FinetuneRecipe]] = {
    "supervised": SupervisedRecipe,
    "episodes": EpisodeRecipe,
    "extraction": ExtractionRecipe,
}
"""The recipes for fine-tuning, by their `kind`."""
_MOST_BYTES = 2**16
"""The largest recipe file; ours have about 1,000 bytes."""
_Settings = TypeVar("_Settings", bound=TrainingSettings)


def recipe_names(
    verb: Literal["pretrain", "finetune"] | None = None, *, also_in: Path | str | None = None
) -> list[str]:
    """Return the names of the recipes that we ship, sorted.

    Args:
        verb: Only those for `pretrain` or for `finetune`; by default all.
        also_in: A folder with more recipes.

    Returns:
        The names, as `load_recipe` or `load_finetune_recipe` takes them.

    Raises:
        BadInput: `verb` is none of these, or the folder or a recipe in it cannot be read.

    >>> recipe_names("finetune")[:3]
    ['extraction', 'fewrel', 'fewrel@paper']
    """
    if verb is not None and not (isinstance(verb, str) and verb in ("pretrain", "finetune")):
        raise BadInput(f"verb: expected pretrain, finetune or None, got {printable(shown(verb))}")
    names = sorted(_by_name(also_in))
    return [name for name in names if verb is None or ("kind" in _read(name, also_in)) == (verb == "finetune")]


def load_recipe(recipe: Recipe | Path | str, settings: Changes = (), *, also_in: Path | str | None = None) -> Recipe:
    """Return a recipe for pretraining, with some of its settings changed.

    Args:
        recipe: The name of a recipe that we ship, a YAML file, or a recipe.
        settings: Settings to change: a mapping of keys to values, or a list of "key=value". A dotted key changes one
            setting of a section; a mapping as value replaces the section.
        also_in: A folder with more recipes, found by the names of their files.

    Returns:
        The recipe; a recipe that is passed in is not changed.

    Raises:
        BadInput: There is no such recipe or setting, or a value is out of range.

    >>> load_recipe("smoke", {"steps": 5, "objective.mlm.weight": 0.5}).objective.mlm.weight
    0.5
    >>> load_recipe("smoke", ["steps=5"]).steps
    5
    """
    if isinstance(recipe, Recipe) and no_changes(settings):
        return recipe
    where, values = _values(recipe, settings, also_in)
    if "kind" in values:
        raise BadInput(
            f"{where}: expected a recipe for pretraining, got one of kind {shown(values['kind'])}. "
            "Use `protorel finetune`"
        )
    return recipe_of(values, where=where)


def load_finetune_recipe(recipe: FinetuneRecipe | Path | str, settings: Changes = ()) -> FinetuneRecipe:
    """Return a recipe for fine-tuning, with some of its settings changed.

    Args:
        recipe: The name of a recipe that we ship, a YAML file, or a recipe.
        settings: Settings to change, as in `load_recipe`.

    Returns:
        A `SupervisedRecipe`, an `EpisodeRecipe` or an `ExtractionRecipe`, by the `kind` of the recipe.

    Raises:
        BadInput: There is no such recipe or setting, or a value is out of range.

    >>> load_finetune_recipe("semeval", {"epochs": 3}).epochs
    3
    """
    if isinstance(recipe, FinetuneRecipe) and no_changes(settings):
        return recipe
    where, values = _values(recipe, settings)
    *others, last = _KINDS
    known = f"{', '.join(others)} or {last}"
    if "kind" not in values:
        raise BadInput(f"{where}: expected a recipe of kind {known}, got one for pretraining. Use `protorel pretrain`")
    kind = _KINDS.get(values["kind"]) if isinstance(values["kind"], str) else None
    if kind is None:
        raise BadInput(f"{where}: kind: expected {known}, got {shown(values['kind'])}")
    return _checked(values, kind, where=where)


def recipe_of(values: Mapping[str, Any], *, where: str) -> Recipe:
    """Return a recipe of these settings; `BadInput` names the first that is wrong."""
    return _checked(values, Recipe, where=where)


def _checked(values: Mapping[str, Any], kind: type[_Settings], *, where: str) -> _Settings:
    try:
        recipe = kind.model_validate(values)
    except ValidationError as problem:
        raise BadInput(f"{where}: {_first_problem(problem, kind)}") from problem
    # Pydantic takes true for the number 1.
    accepted = dict(dotted(recipe.model_dump()))
    for key, value in dotted(values):
        if isinstance(value, bool) and not isinstance(accepted[key], bool):
            raise BadInput(f"{where}: {key} = {value}: input should be a number, not true or false")
    return recipe


def _values(recipe: object, changes: Changes, also_in: Path | str | None = None) -> tuple[str, dict[str, Any]]:
    """Return how messages name a recipe, and all its values with the changes made."""
    if isinstance(recipe, TrainingSettings):
        where, values = f"recipe {recipe.name}", recipe.model_dump()
    elif isinstance(recipe, (str, os.PathLike)):
        name = str(recipe)
        where, values = f"recipe {name}", _read(name, also_in)
        values.setdefault("name", Path(name).stem)
    else:
        raise BadInput(f"recipe: expected a name, a YAML file or a recipe, got {kind(recipe)}")
    change_settings(values, changes)
    return where, values


def _by_name(also_in: Path | str | None) -> dict[str, Path | Traversable]:
    """Return the recipes that come with the package, and those in a folder, by name."""
    folders: list[Path | Traversable] = [_SHIPPED]
    if also_in is not None:
        own = as_path(also_in, "also_in", expected="a folder")
        if not is_folder(own):
            raise BadInput(f"{own}: expected a folder with recipes, got {'a file' if is_there(own) else 'none'}")
        folders.append(own)
    found = [entry for folder in folders for entry in folder.iterdir() if entry.name.endswith(".yaml")]
    return {entry.name.removesuffix(".yaml"): entry for entry in found}


def _read(name: str, also_in: Path | str | None = None) -> dict[str, Any]:
    path, known = Path(name), _by_name(also_in)
    if path.suffix in (".yaml", ".yml"):
        if not is_there(path):
            raise BadInput(f"{name}: no such recipe file")
        text = read_text(path, most_bytes=_MOST_BYTES)
    elif name in known:
        text = known[name].read_text(encoding="utf-8")
    else:
        near = get_close_matches(name, sorted(known), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(known))}, or a .yaml file"
        raise BadInput(f"recipe {shown(name)} is not known; {hint}")
    try:
        values = parse_yaml(text)
    except ValueError as problem:
        raise BadInput(f"recipe {name}: {problem}") from problem
    if not isinstance(values, dict):
        raise BadInput(f"recipe {name}: expected a mapping of keys to values, got {kind(values)}")
    for key in values:
        if not isinstance(key, str):
            raise BadInput(f"recipe {name}: expected the name of a setting as key, got {shown(key)}")
    return values


def _first_problem(problem: ValidationError, kind: type[BaseModel]) -> str:
    first = problem.errors()[0]
    place, valid = _place([str(part) for part in first["loc"]], kind)
    key = ".".join(place)
    if first["type"] == "extra_forbidden":
        near = get_close_matches(place[-1], valid, n=1, cutoff=0.4)
        hint = f"did you mean {'.'.join([*place[:-1], near[0]])!r}?" if near else f"known are {', '.join(valid)}"
        return f"unknown key {shown(key)}; {hint}"
    message = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
    return f"{printable(key)} = {shown(first['input'])}: {printable(message, longest=300)}"


def _place(path: list[str], model: type[BaseModel]) -> tuple[list[str], list[str]]:
    """Return the keys that lead to a value, and all valid keys at its place.

    For settings of one of several classes, Pydantic adds the class's `name` to the path.
    """
    keys: list[str] = []
    holders, inside = [model], [model]
    for step in path:
        named = [one for one in holders if "name" in one.model_fields and one.model_fields["name"].default == step]
        if named and len(holders) > 1:
            holders = named
            continue
        keys.append(step)
        inside = holders
        fields = [one.model_fields[step] for one in holders if step in one.model_fields]
        holders = [settings for field in fields for settings in _settings_in(field.annotation)]
    return keys, [name for one in inside for name in one.model_fields]


def _settings_in(annotation: Any) -> list[type[BaseModel]]:
    """Return the classes of settings in a type annotation."""
    if annotation is MethodSettings:
        return [method.settings_class() for method in trainable_methods().values()]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [settings for part in get_args(annotation) for settings in _settings_in(part)]
