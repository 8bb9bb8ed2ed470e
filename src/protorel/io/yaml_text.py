"""Parsing YAML from untrusted files within bounds.

A file of a few hundred bytes can expand to gigabytes by aliases of aliases, or nest deeper than Python's stack. Such
files are refused with a reason in one line.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.constructor import BaseConstructor
from yaml.parser import Parser

from protorel.io.display import shown
from protorel.io.json_text import DEEPEST, MOST_DIGITS, too_long


def parse_yaml(text: str, *, as_text: bool = False) -> Any:
    """Parse YAML, or raise a `ValueError` of one line for aliases, repeated keys, deep nesting and huge numbers.

    With `as_text` every value stays text: `NO` and `569` are names, not a boolean and a number.
    """
    try:
        return yaml.load(text, Loader=_TextLoader if as_text else _ValueLoader)
    except yaml.YAMLError as problem:
        reason = " ".join(str(problem).split())
        raise ValueError(
            reason if isinstance(problem, _Refused) else f"is not YAML that can be read ({reason})"
        ) from problem


class _Refused(yaml.YAMLError):
    """YAML that is valid but refused."""


class _Bounded(Parser, Composer, BaseConstructor):
    """Refuses aliases, deep nesting, repeated keys, and keys that are lists or mappings."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise _Refused(_at(event, "aliases (*name) are not supported; write the value itself"))
        if self._depth >= DEEPEST:
            raise _Refused("is nested too deeply")
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _Refused(_at(key, f"expected a name as key, got {_KINDS[type(key)]}"))
            if key.value in seen:
                raise _Refused(_at(key, f"expected each key once, got {shown(key.value)} twice"))
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


class _TextLoader(_Bounded, yaml.BaseLoader):
    """Reads every scalar as text."""


class _ValueLoader(_Bounded, yaml.SafeLoader):
    """Reads numbers, booleans and null; dates stay text."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, OverflowError, LookupError, AttributeError) as problem:  # `!!int x`, `!!timestamp y`, …
            found = shown(node.value) if isinstance(node, yaml.ScalarNode) else _KINDS[type(node)]
            raise _Refused(_at(node, f"expected a value of {shown(node.tag)}, got {found}")) from problem

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        if len(str(node.value)) > MOST_DIGITS:
            raise _Refused(_at(node, too_long(node.value)))
        return int(super().construct_yaml_int(node))


_ValueLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if tag != "tag:yaml.org,2002:timestamp"]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_ValueLoader.add_constructor("tag:yaml.org,2002:int", _ValueLoader.construct_yaml_int)
_KINDS: dict[type[yaml.Node], str] = {yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list"}


def _at(place: yaml.Node | yaml.Event, what: str) -> str:
    return what if place.start_mark is None else f"line {place.start_mark.line + 1}: {what}"
