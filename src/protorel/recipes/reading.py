"""Reading a recipe: a YAML file, ours by name or a user's own, with overrides on top.

A recipe with a `kind` is for tuning; one without is for pretraining.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from protorel.fewshot import MethodSettings, trainable_methods
from protorel.io import is_there, kind, parse_yaml, printable, read_text, shown
from protorel.recipes.episodes import EpisodeRecipe
from protorel.recipes.pretraining import Recipe, TrainingSettings
from protorel.recipes.tuning import FinetuneRecipe, SupervisedRecipe
from protorel.statements import BadInput

_SHIPPED = files("protorel") / "recipes"
_KINDS: Mapping[str, type[FinetuneRecipe]] = {"supervised": SupervisedRecipe, "episodes": EpisodeRecipe}
"""The recipes for tuning, by what their files say as `kind`."""
_MOST_BYTES = 2**16
"""The largest recipe; ours have about 1,000 bytes."""
_Settings = TypeVar("_Settings", bound=TrainingSettings)


def recipe_names(verb: Literal["pretrain", "finetune"] | None = None) -> list[str]:
    """Return the names of the recipes that come with the package: all, or those for one verb."""
    names = sorted(entry.name.removesuffix(".yaml") for entry in _SHIPPED.iterdir() if entry.name.endswith(".yaml"))
    return [name for name in names if verb is None or ("kind" in _read(name)) == (verb == "finetune")]


def load_recipe(name: str, overrides: Iterable[str] = ()) -> Recipe:
    """Read a recipe by name or path, and set `key=value` overrides, at any depth, on top of it."""
    values = _values(name, overrides)
    if "kind" in values:
        raise BadInput(f"recipe {name}: is of kind {shown(values['kind'])}, so it is meant for `protorel finetune`")
    return recipe_of(values, where=f"recipe {name}")


def load_finetune_recipe(name: str, overrides: Iterable[str] = ()) -> FinetuneRecipe:
    """Read a recipe for tuning, of whatever kind it is."""
    values = _values(name, overrides)
    known = " or ".join(_KINDS)
    if "kind" not in values:
        raise BadInput(f"recipe {name}: has no kind ({known}), so it is meant for `protorel pretrain`")
    kind = _KINDS.get(values["kind"]) if isinstance(values["kind"], str) else None
    if kind is None:
        raise BadInput(f"recipe {name}: kind = {shown(values['kind'])}: should be {known}")
    return _checked(values, kind, where=f"recipe {name}")


def recipe_of(values: Mapping[str, Any], *, where: str) -> Recipe:
    """Check settings and make a recipe of them; the first thing wrong is said in one line."""
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


def check_overrides(overrides: Iterable[str]) -> None:
    """Refuse a setting that a user gives twice on one command line; between programs the last one counts."""
    seen: set[str] = set()
    for key in (override.partition("=")[0] for override in overrides):
        if again := next((one for one in seen if one == key or one.startswith(f"{key}.")), None):
            raise BadInput(f"expected each setting once, got {shown(again)} twice; leave one of them out")
        seen.add(key)


def dotted(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every setting under its dotted name, the one that an override uses."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from dotted(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _values(name: str, overrides: Iterable[str]) -> dict[str, Any]:
    values = _read(name)
    values.setdefault("name", Path(name).stem)
    for override in overrides:
        _override(values, override)
    return values


def _read(name: str) -> dict[str, Any]:
    path = Path(name)
    shipped = _SHIPPED / f"{name}.yaml"
    if path.suffix in (".yaml", ".yml"):
        if not is_there(path):
            raise BadInput(f"{name}: no such recipe file")
        text = read_text(path, most_bytes=_MOST_BYTES)
    elif name in recipe_names():
        text = shipped.read_text(encoding="utf-8")
    else:
        near = get_close_matches(name, recipe_names(), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(recipe_names())}, or a .yaml file"
        raise BadInput(f"recipe {shown(name)} is not known; {hint}")
    try:
        values = parse_yaml(text)
    except ValueError as problem:
        raise BadInput(f"recipe {name}: {problem}") from problem
    if not isinstance(values, dict):
        raise BadInput(f"recipe {name}: expected a mapping of keys to values, got {kind(values)}")
    for key in values:
        if not isinstance(key, str):
            raise BadInput(f"recipe {name}: expected the name of a setting for a key, got {shown(key)}")
    return values


def _override(values: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise BadInput(f"expected an override key=value, got {shown(override)}")
    try:
        value = parse_yaml(text)
    except ValueError:  # as a phrase with its {head} and {tail} is
        value = text
    *way, last = key.split(".")
    for step in way:
        values = values.setdefault(step, {})
        if not isinstance(values, dict):
            raise BadInput(f"{shown(override)}: {shown(step)} is a value, it has no keys below it")
    values[last] = _number(value)


def _number(value: Any) -> Any:
    # YAML 1.1 reads 1e-4 as text.
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


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


def _place(way: list[str], model: type[BaseModel]) -> tuple[list[str], list[str]]:
    """Return the keys that lead to a value, and all keys that there are at its place.

    Settings that are of one class or another are told apart by their `name`, which Pydantic puts into the way.
    """
    keys: list[str] = []
    holders, inside = [model], [model]
    for step in way:
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
    """Return the classes of settings that a type names, one or one of several."""
    if annotation is MethodSettings:
        return [method.settings_class() for method in trainable_methods().values()]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [settings for part in get_args(annotation) for settings in _settings_in(part)]
