"""Do settings match? A run resumes with the settings that it was started with, and a table mixes no settings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from protorel.io import shown
from protorel.recipes import TrainingSettings, dotted
from protorel.statements import BadInput

_NOT_COMPARED = {"checkpoint_every", "name", "encoder"}
"""Settings of a recipe that figures do not depend on, or that are recorded elsewhere."""
_DEFAULTS = re.compile(r"(^|\.)defaults\.")
_STARTED_WITH = {
    "apart_from": "with other --decontaminate files",
    "data": "on other data",
    "model": "from another model",
    "descriptions": "with other --descriptions",
    "dev": "with another --dev file",
}
"""What a run was started with, next to its recipe, and how an error names a difference."""


def recipe_settings(recipe: TrainingSettings, *, without: Collection[str] = ()) -> dict[str, Any]:
    """Return every setting of a recipe that figures depend on: those that it sets, and those at their defaults.

    `without` names settings that are recorded elsewhere.
    """
    left_out = {*_NOT_COMPARED, *without}
    said = recipe.model_dump(mode="json", exclude=left_out, exclude_defaults=True)
    every = dotted(recipe.model_dump(mode="json", exclude=left_out))
    known = dict(dotted(said))
    return {"recipe": said, "defaults": {key: value for key, value in every if key not in known}}


def check_same(then: Mapping[str, Any], now: Mapping[str, Any], *, what: str) -> None:
    """Raise `BadInput`, naming the first difference, if settings differ.

    A setting that one side lacks is no difference if the other has it at its default: an older version did not have
    it yet, or recorded no defaults.
    """
    old, new = dict(_flat(then)), dict(_flat(now))
    for key in sorted(old.keys() | new.keys()):
        if key in old and key in new:
            if old[key][0] != new[key][0]:
                raise _differs(f"{what} was made with {key}={shown(old[key][0])}, now it is {shown(new[key][0])}")
        elif key in old and not old[key][1]:
            raise _differs(f"{what} was made with {key}={shown(old[key][0])}, which is not set now")
        elif key in new and not new[key][1]:
            raise _differs(f"{what} was made without {key}, now it is {shown(new[key][0])}")


def check_recipe(then: Mapping[str, Any], now: Mapping[str, Any], *, what: str) -> None:
    """Raise `BadInput` if the recipe in a run's record differs from what `recipe_settings` returned."""
    recorded = {key: value for key, value in then.items() if key not in _NOT_COMPARED}
    check_same({"recipe": recorded}, {part: now[part] for part in ("recipe", "defaults") if part in now}, what=what)


def check_resumed(now: Mapping[str, Any], then: Mapping[str, Any], folder: Path) -> None:
    """Raise `BadInput` if a run in `folder` is resumed with other settings than its checkpoint has."""
    if _command(now) != _command(then):
        raise BadInput(
            f"{folder}: this run was started by `protorel {_command(then)}`. Resume it with the same command"
        )
    for name, how in _STARTED_WITH.items():
        if now.get(name) != then.get(name, [] if name == "apart_from" else None):
            raise BadInput(f"{folder}: this run was started {how}. Resume it with the same")
    old = dict(dotted(then.get("recipe", {})))
    for key, value in dotted(now["recipe"]):
        if old.get(key) != value:
            raise BadInput(
                f"{folder}: this run was started with {key}={shown(old.get(key))}, got {value!r}. "
                "Resume it with the same"
            )
    if now["tokenizer"] != then.get("tokenizer", now["tokenizer"]):
        raise BadInput(f"{folder}: the tokenizer or the word vectors have changed since this run was started")


def _command(settings: Mapping[str, Any]) -> str:
    return "finetune" if "kind" in settings.get("recipe", {}) else "pretrain"


def _differs(how: str) -> BadInput:
    return BadInput(f"{how}; use the same settings, or another --out")


def _flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, tuple[Any, bool]]]:
    """Yield every setting under its dotted name, as it comes back from JSON, and whether it is a recipe's default."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        elif isinstance(value, (list, tuple)) and value and all(isinstance(one, Mapping) for one in value):
            yield from _flat({str(number): one for number, one in enumerate(value)}, f"{before}{key}.")
        else:
            name, defaults = _DEFAULTS.subn(r"\1recipe.", f"{before}{key}")
            yield name, (_plain(value), bool(defaults))


def _plain(value: Any) -> Any:
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value
