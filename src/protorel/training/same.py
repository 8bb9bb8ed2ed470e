"""Were two things made alike? Figures of different settings never stand in one table or curve."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from protorel.io import shown
from protorel.recipes import TrainingSettings, dotted
from protorel.statements import BadInput

_NOT_COMPARED = {"checkpoint_every", "name", "encoder"}
"""Settings of a recipe that figures do not depend on, or that are said elsewhere."""
_DEFAULTS = re.compile(r"(^|\.)defaults\.")


def recipe_settings(recipe: TrainingSettings, *, without: Collection[str] = ()) -> dict[str, Any]:
    """Return every setting of a recipe that figures depend on: what it says, and what it leaves at a default.

    `without` names settings that are said elsewhere.
    """
    left_out = {*_NOT_COMPARED, *without}
    said = recipe.model_dump(mode="json", exclude=left_out, exclude_defaults=True)
    every = dotted(recipe.model_dump(mode="json", exclude=left_out))
    known = dict(dotted(said))
    return {"recipe": said, "defaults": {key: value for key, value in every if key not in known}}


def check_same(then: Mapping[str, Any], now: Mapping[str, Any], *, what: str) -> None:
    """Refuse, in one line that names the first difference, what was made with other settings.

    A setting that one side does not know is no difference where the other leaves it at its default: a version that
    did not have it yet, or said nothing of defaults, has made the same.
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
    """Refuse a run whose record tells of another recipe, or of other defaults, than `recipe_settings` gave."""
    told = {key: value for key, value in then.items() if key not in _NOT_COMPARED}
    check_same({"recipe": told}, {part: now[part] for part in ("recipe", "defaults") if part in now}, what=what)


def _differs(how: str) -> BadInput:
    return BadInput(f"{how}; use the same settings, or another --out")


def _flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, tuple[Any, bool]]]:
    """Yield every setting under its dotted name, as JSON gives it back, and whether it is a recipe's default."""
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
