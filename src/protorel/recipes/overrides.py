"""Overrides: settings of a recipe that are changed, as a mapping or as "key=value" on the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from protorel.io import parse_yaml, shown
from protorel.statements import BadInput

Changes = Mapping[str, Any] | Iterable[str]
"""Settings to change: a mapping of keys to values, or "key=value" as on the command line. A key may be dotted."""


def check_overrides(overrides: Iterable[str]) -> None:
    """Raise `BadInput` if a setting is given twice on one command line; in Python the last one counts."""
    seen: set[str] = set()
    for key in (override.partition("=")[0] for override in overrides):
        if again := next((one for one in seen if one == key or one.startswith(f"{key}.")), None):
            raise BadInput(f"expected each setting once, got {shown(again)} twice. Leave one of them out")
        seen.add(key)


def dotted(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every setting under its dotted name, as on the command line."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from dotted(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def change_settings(values: dict[str, Any], changes: Changes) -> None:
    """Make the changes in the values of a recipe, in place; `BadInput` for what is not a setting."""
    for key, value in _changes(changes):
        _set(values, key, value)


def no_changes(settings: Changes) -> bool:
    """Tell whether there is nothing to change."""
    return isinstance(settings, (Mapping, list, tuple)) and not settings


def _changes(changes: Changes) -> Iterator[tuple[str, Any]]:
    if isinstance(changes, (str, bytes)) or not isinstance(changes, Iterable):
        raise BadInput(f'settings: expected a mapping or a list of "key=value", got {shown(changes)}')
    if not isinstance(changes, Mapping):
        yield from map(_parsed, changes)
        return
    for key, value in changes.items():
        if not isinstance(key, str):
            raise BadInput(f"settings: expected the name of a setting as key, got {shown(key)}")
        yield key, str(value) if isinstance(value, os.PathLike) else deepcopy(value)


def _parsed(override: object) -> tuple[str, Any]:
    """Return key and value of "key=value"."""
    key, equals, text = override.partition("=") if isinstance(override, str) else ("", "", "")
    if not equals or not key:
        raise BadInput(f"expected a setting key=value, got {shown(override)}")
    try:
        return key, _number(parse_yaml(text))
    except ValueError:  # such as a phrase with {head} and {tail}
        return key, _number(text)


def _set(values: dict[str, Any], key: str, value: Any) -> None:
    *sections, last = key.split(".")
    for section in sections:
        values = values.setdefault(section, {})
        if not isinstance(values, dict):
            raise BadInput(f"{shown(key)}: {shown(section)} is a setting, not a section: it has no keys")
    values[last] = value


def _number(value: Any) -> Any:
    # YAML 1.1 reads 1e-4 as text.
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value
