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

import yaml

from protorel.statements.problems import BadInput

_KEYS = ("means", "no_relation")


@dataclass(frozen=True, slots=True)
class Entries:
    """What a file says, as it was written."""

    means: Mapping[str, tuple[str, ...]]
    no_relation: tuple[str, ...]


class _TextLoader(yaml.BaseLoader):
    """Reads every scalar as text, since NO and 569 are names here, and refuses a key that stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise BadInput(f"line {key_node.start_mark.line + 1}: a key is {_kind(key)}, a name is wanted")
            if key in found:
                raise BadInput(f"line {key_node.start_mark.line + 1}: {key!r} stands twice")
            found[key] = self.construct_object(value_node, deep=deep)
        return found


def read_entries(text: str, where: str) -> Entries:
    """Parse a table; `where` is what messages call it."""
    try:
        whole = yaml.load(text, Loader=_TextLoader)
        return _entries(whole)
    except BadInput as problem:
        raise BadInput(f"{where}: {problem}") from None
    except (yaml.YAMLError, RecursionError) as problem:
        reason = "it is nested too deeply" if isinstance(problem, RecursionError) else " ".join(str(problem).split())
        raise BadInput(f"{where}: is not YAML that can be read ({reason})") from problem


def _entries(whole: Any) -> Entries:
    if not isinstance(whole, dict):
        raise BadInput(f"holds {_kind(whole)}, a mapping with the keys {' and '.join(_KEYS)} is wanted")
    for key in whole:
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(_KEYS)}"
            raise BadInput(f"unknown key {key!r}; {hint}")
    means = whole.get("means", {})
    if not isinstance(means, dict):
        raise BadInput(f"means is {_kind(means)}, a mapping of names to what they mean is wanted")
    none = _names(whole.get("no_relation", []), "no_relation")
    return Entries({_name(name, "means"): _meant(name, value) for name, value in means.items()}, none)


def _meant(name: str, value: Any) -> tuple[str, ...]:
    if not (meant := _names(value, f"means: {name}")):
        raise BadInput(f"means: {name}: is an empty list, one meaning or more is wanted")
    return meant


def _names(value: Any, place: str) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise BadInput(f"{place}: is {_kind(value)}, a name or a list of names is wanted")
    names = tuple(_name(one, place) for one in value)
    for name, count in Counter(names).items():
        if count > 1:
            raise BadInput(f"{place}: {name!r} stands twice")
    return names


def _name(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{place}: holds {_kind(value)}, a name is wanted")
    if not value.strip():
        raise BadInput(f"{place}: holds an empty name")
    return value


def _kind(value: Any) -> str:
    return {"dict": "a mapping", "list": "a list", "str": "text", "NoneType": "nothing"}.get(
        type(value).__name__, type(value).__name__
    )
