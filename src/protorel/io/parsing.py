"""JSON and YAML from outside, parsed within bounds, and values shown in a few words.

A file of a few hundred bytes can stand for gigabytes (YAML's aliases), nest deeper than Python follows, or hold a
number that takes minutes to print. All of that is refused here, with a reason of one line.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable
from reprlib import Repr
from typing import Any, NoReturn

import yaml
from yaml.composer import Composer
from yaml.constructor import BaseConstructor
from yaml.parser import Parser

DEEPEST = 50
"""How many lists and mappings may stand in one another; no file of ours has more than ten."""
_MOST_DIGITS = 20
"""The longest whole number, in characters: 64 bits with a sign."""
_WIDEST = 80
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""How JSON escapes one half of a character beyond 16 bits; with its other half it is whole."""


class _Short(Repr):
    """`repr` that looks at the beginning of a value only."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxother = 3, _WIDEST - 4, _WIDEST
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = 4

    def repr_int(self, value: int, _level: int) -> str:
        # An int of thousands of digits cannot even be turned into text.
        return repr(value) if value.bit_length() <= 64 else f"a whole number of {value.bit_length()} bits"


_SHORT = _Short()


def shown(value: object) -> str:
    """Return a value as Python writes it, cut to at most 80 characters; the rest is not even looked at.

    >>> shown("x" * 10**9)[:5], len(shown("x" * 10**9)), shown([1, 2, 3, 4, 5])
    ("'xxxx", 76, '[1, 2, 3, 4, ...]')
    """
    text = _SHORT.repr(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def kind(value: object) -> str:
    """Return what a value is, in words for a message."""
    return {"dict": "a mapping", "list": "a list", "str": "text", "NoneType": "nothing"}.get(
        type(value).__name__, type(value).__name__
    )


def parse_json(text: str) -> Any:
    """Parse JSON, or raise a `ValueError` of one line: no NaN, no name twice, no depth or number beyond all use.

    Where the text is no JSON at all, the error's cause is the `json.JSONDecodeError`.
    """
    try:
        value = json.loads(
            text,
            parse_constant=_no_constant,
            parse_int=_whole_number,
            parse_float=_number,
            object_pairs_hook=_no_name_twice,
        )
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except json.JSONDecodeError as problem:
        raise ValueError(f"is not whole JSON ({problem})") from problem
    if _is_deep(value):
        raise ValueError("is nested too deeply")
    if _HALF.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as problem:
            half = ord(problem.object[problem.start])
            raise ValueError(f"holds half a character (U+{half:04X}), which cannot be written") from None
    return value


def parse_yaml(text: str, *, as_text: bool = False) -> Any:
    """Parse YAML, or raise a `ValueError` of one line: no alias, no key twice, no depth or number beyond all use.

    With `as_text` every value is text, as written: `NO` and `569` are names then, not a truth value and a number.
    """
    try:
        return yaml.load(text, Loader=_TextLoader if as_text else _ValueLoader)
    except yaml.YAMLError as problem:
        reason = " ".join(str(problem).split())
        raise ValueError(
            reason if isinstance(problem, _Refused) else f"is not YAML that can be read ({reason})"
        ) from problem


class _Refused(yaml.YAMLError):
    """YAML that could be read, and is not."""


class _Bounded(Parser, Composer, BaseConstructor):
    """Refuses aliases, endless depth, keys that stand twice, and keys that are lists or mappings."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise _Refused(_at(event, "an alias (*name) is not taken here; write the value itself"))
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
                raise _Refused(_at(key, f"a key is {_KINDS[type(key)]}, expected a name"))
            if key.value in seen:
                raise _Refused(_at(key, f"{shown(key.value)} stands twice"))
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


class _TextLoader(_Bounded, yaml.BaseLoader):
    """Reads every scalar as text."""


class _ValueLoader(_Bounded, yaml.SafeLoader):
    """Reads numbers, truth values and null; a date is text, since nothing here is a date."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, OverflowError, LookupError, AttributeError) as problem:  # `!!int x`, `!!timestamp y`, …
            found = shown(node.value) if isinstance(node, yaml.ScalarNode) else _KINDS[type(node)]
            raise _Refused(_at(node, f"expected a value of {shown(node.tag)}, got {found}")) from problem

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        if len(str(node.value)) > _MOST_DIGITS:
            raise _Refused(_at(node, _too_long(node.value)))
        return int(super().construct_yaml_int(node))


_ValueLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if tag != "tag:yaml.org,2002:timestamp"]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_ValueLoader.add_constructor("tag:yaml.org,2002:int", _ValueLoader.construct_yaml_int)
_KINDS: dict[type[yaml.Node], str] = {yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list"}


def _at(place: yaml.Node | yaml.Event, what: str) -> str:
    return what if place.start_mark is None else f"line {place.start_mark.line + 1}: {what}"


def _is_deep(value: Any) -> bool:
    """Tell whether a parsed value nests beyond the bound; level by level, so that it costs no stack itself."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, (list, dict))
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return any(isinstance(one, (list, dict)) for one in level)


def _whole_number(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(_too_long(text))
    return int(text)


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"holds a number that is too large ({shown(text)})")
    return number


def _too_long(text: str) -> str:
    return f"holds a whole number of {len(text)} digits, expected at most {_MOST_DIGITS}"


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"holds {name}, which JSON does not know")


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"names {shown(twice)} twice in one object")
    return values
