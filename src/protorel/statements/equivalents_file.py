"""A table of equivalents as a file: YAML in which every value is text, and every mistake is one line.

means:
  birthPlace: P19
  hypernym: [P31, P279]       # either of the two
no_relation: [NA, Other]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from protorel.io import BadInput, kind, parse_yaml, printable, shown

_KEYS = ("means", "no_relation")


@dataclass(frozen=True, slots=True)
class Entries:
    """What a file says, as it was written."""

    means: Mapping[str, tuple[str, ...]]
    no_relation: tuple[str, ...]


def read_entries(text: str, where: str) -> Entries:
    """Parse a table; `where` is what messages call it."""
    try:
        return _entries(parse_yaml(text, as_text=True))
    except ValueError as problem:
        raise BadInput(f"{where}: {problem}") from problem


def _entries(whole: Any) -> Entries:
    if not isinstance(whole, dict):
        raise BadInput(f"holds {kind(whole)}, a mapping with the keys {' and '.join(_KEYS)} is wanted")
    for key in whole:
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(_KEYS)}"
            raise BadInput(f"unknown key {shown(key)}; {hint}")
    means = whole.get("means", {})
    if not isinstance(means, dict):
        raise BadInput(f"means is {kind(means)}, a mapping of names to what they mean is wanted")
    none = _names(whole.get("no_relation", []), "no_relation")
    return Entries({_name(name, "means"): _meant(name, value) for name, value in means.items()}, none)


def _meant(name: str, value: Any) -> tuple[str, ...]:
    place = f"means: {printable(name)}"
    if not (meant := _names(value, place)):
        raise BadInput(f"{place}: is an empty list, one meaning or more is wanted")
    return meant


def _names(value: Any, place: str) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise BadInput(f"{place}: is {kind(value)}, a name or a list of names is wanted")
    names = tuple(_name(one, place) for one in value)
    for name, count in Counter(names).items():
        if count > 1:
            raise BadInput(f"{place}: {shown(name)} stands twice")
    return names


def _name(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{place}: holds {kind(value)}, a name is wanted")
    if not value.strip():
        raise BadInput(f"{place}: holds an empty name")
    return value
