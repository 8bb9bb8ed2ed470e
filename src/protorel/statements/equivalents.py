"""Relations compared by meaning: names with the same meaning, from the package's table and the user's.

A table is YAML, and every value is text:

    means:
      birthPlace: P19
      hypernym: [P31, P279]       # either of the two
    no_relation: [NA, Other]
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.resources import files
from pathlib import Path
from typing import Any

from protorel.io import BadInput, as_path, check_type, kind, parse_yaml, printable, read_text, shown
from protorel.statements.normal_text import composed

_SHIPPED = "equivalents.yaml"
_NAMESPACE = re.compile(
    r"https?://(www\.)?wikidata\.org/(entity/|wiki/Property:|prop/(direct/)?)|https?://dbpedia\.org/(ontology|property)/"
    r"|(wdt|wd|dbo|dbp):"
)
_DIRECTION = re.compile(r"\((e1,e2|e2,e1)\)$")
_NEW_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SEPARATOR = re.compile(r"[\s_-]+")
_MOST_NAMED = 5
"""The most names that a message lists."""
_MOST_BYTES = 2**24
"""The largest table of a user: more than a hundred thousand names. YAML is slow to parse."""
_KEYS = ("means", "no_relation")


def plain_name(relation: str) -> str:
    """Return a relation's name without its spelling variant, namespace and direction.

    >>> plain_name("birthPlace") == plain_name("dbo:birthPlace") == plain_name("birth_place")
    True
    >>> plain_name("Cause-Effect(e1,e2)") == plain_name("Cause-Effect(e2,e1)")
    True
    """
    check_type(relation, str, where="relation", expected="text")
    name = composed(relation).strip()
    bare = _DIRECTION.sub("", _NAMESPACE.sub("", name, count=1) if _NAMESPACE.match(name) else name)
    return _SEPARATOR.sub(" ", _NEW_WORD.sub(" ", bare)).strip().casefold() or relation


@dataclass(frozen=True, slots=True)
class Equivalents:
    """The meanings of relations: two are the same if they have a meaning in common.

    >>> known = load_equivalents()
    >>> known.same("place_of_birth", "P19"), known.meaning("no_relation")
    (True, frozenset())
    """

    means: Mapping[str, frozenset[str]]
    """The meanings of each plain name, as plain names, which may have meanings in turn."""
    no_relation: frozenset[str]
    """Plain names of labels that mean no relation: sharing them is not leakage."""
    fingerprint: str

    def meaning(self, relation: str) -> frozenset[str]:
        """Return all meanings of a relation; none for a label such as NA."""
        name = plain_name(relation)
        if name in self.no_relation:
            return frozenset()
        reached, ahead = {name}, [name]
        while ahead:
            new = self.means.get(ahead.pop(), frozenset()) - reached
            reached |= new
            ahead += new
        return frozenset(reached)

    def same(self, one: str, other: str) -> bool:
        """Tell whether two relations have a meaning in common."""
        return not self.meaning(one).isdisjoint(self.meaning(other))

    def among(self, relations: Iterable[str], others: Iterable[str]) -> list[str]:
        """Return the `relations` that mean the same as one of `others`, sorted."""
        meant = frozenset[str]().union(*map(self.meaning, others))
        return sorted({relation for relation in relations if not meant.isdisjoint(self.meaning(relation))})


def load_equivalents(path: Path | str | None = None) -> Equivalents:
    """Read the package's table of relations that mean the same, extended by a user's file if one is given.

    Args:
        path: A YAML file with the keys `means` and `no_relation`; None for the package's table alone.

    Returns:
        The meanings of all relations in the tables.

    Raises:
        BadInput: the file cannot be read, contradicts the package's table, or its meanings form a cycle.

    >>> _ = Path("mine.yaml").write_text("means: {home_town: P19}")
    >>> load_equivalents("mine.yaml").same("homeTown", "placeOfBirth")
    True
    """
    if path is None:
        return _shipped()
    file = as_path(path)
    table = _shipped_table()
    table.extend(_Table.of(_read_entries(read_text(file, most_bytes=_MOST_BYTES), str(file)), str(file)), str(file))
    return _checked(table, str(file))


@cache
def _shipped() -> Equivalents:
    return _checked(_shipped_table(), _SHIPPED)


def _shipped_table() -> _Table:
    text = (files("protorel.statements") / _SHIPPED).read_text(encoding="utf-8")
    return _Table.of(_read_entries(text, _SHIPPED), _SHIPPED)


@dataclass(slots=True)
class _Table:
    """Entries by plain name; `written` has the names as they are in the file, for messages."""

    means: dict[str, frozenset[str]]
    no_relation: frozenset[str]
    written: dict[str, str]

    @classmethod
    def of(cls, entries: _Entries, where: str) -> _Table:
        seen: dict[str, str] = {}
        for name in entries.means:
            if (plain := plain_name(name)) in seen:
                raise BadInput(
                    f"{where}: expected each name once, got {shown(name)} and {shown(seen[plain])}, the same name"
                )
            seen[plain] = name
        names = (*entries.means, *(name for meant in entries.means.values() for name in meant), *entries.no_relation)
        return cls(
            means={plain_name(name): frozenset(map(plain_name, meant)) for name, meant in entries.means.items()},
            no_relation=frozenset(map(plain_name, entries.no_relation)),
            written={plain_name(name): name for name in reversed(names)},
        )

    def named(self, names: Iterable[str]) -> str:
        """Return names as written in the file: the first few, and the number of the others."""
        written = sorted(self.written[name] for name in names)
        more = f" and {len(written) - _MOST_NAMED} more" if len(written) > _MOST_NAMED else ""
        return ", ".join(map(printable, written[:_MOST_NAMED])) + more

    def extend(self, other: _Table, where: str) -> None:
        """Add a user's entries; they may add meanings to a name of the package, not drop any."""
        for name, meant in other.means.items():
            if missing := self.means.get(name, frozenset()) - meant:
                raise BadInput(
                    f"{where}: {shown(other.written[name])} means {other.named(meant)} here, but {self.named(missing)} "
                    "in the table of the package. Add that meaning, or rename your relation."
                )
        self.written = {**other.written, **self.written}
        self.means = {**self.means, **other.means}
        self.no_relation |= other.no_relation


def _cycle(cycle: list[str], table: _Table) -> str:
    """Return the names of a cycle, from the first back to it: the first few, and the number of the others."""
    names = [printable(table.written[name]) for name in cycle[:_MOST_NAMED]]
    left_out = [f"… {len(cycle) - _MOST_NAMED} more …"] if len(cycle) > _MOST_NAMED else []
    return " → ".join([*names, *left_out, names[0]])


def _checked(table: _Table, where: str) -> Equivalents:
    """Return a table as `Equivalents`; refuse cycles and meanings of labels that mean no relation."""
    meant = frozenset[str]().union(*table.means.values())
    if both := sorted((meant | table.means.keys()) & table.no_relation):
        raise BadInput(
            f"{where}: {shown(table.written[both[0]])} is listed under no_relation, so it cannot mean anything"
        )
    try:
        TopologicalSorter(table.means).prepare()
    except CycleError as problem:
        # graphlib lists the cycle from a meaning to the names with it; reverse it.
        cycle = problem.args[1][:0:-1]
        first = cycle.index(min(cycle))
        raise BadInput(
            f"{where}: the meanings form a cycle ({_cycle(cycle[first:] + cycle[:first], table)}). Remove one of them."
        ) from problem
    content = [sorted((name, sorted(meant)) for name, meant in table.means.items()), sorted(table.no_relation)]
    digest = hashlib.sha256(repr(content).encode("utf-8", "backslashreplace"))
    return Equivalents(table.means, table.no_relation, digest.hexdigest())


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entries of a file, as they were written."""

    means: Mapping[str, tuple[str, ...]]
    no_relation: tuple[str, ...]


def _read_entries(text: str, where: str) -> _Entries:
    """Parse a table; `where` is its name, for messages."""
    try:
        return _entries(parse_yaml(text, as_text=True))
    except ValueError as problem:
        raise BadInput(f"{where}: {problem}") from problem


def _entries(whole: Any) -> _Entries:
    if not isinstance(whole, dict):
        raise BadInput(f"expected a mapping with the keys {' and '.join(_KEYS)}, got {kind(whole)}")
    for key in whole:
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(_KEYS)}"
            raise BadInput(f"unknown key {shown(key)}; {hint}")
    means = whole.get("means", {})
    if not isinstance(means, dict):
        raise BadInput(f"means: expected a mapping of names to what they mean, got {kind(means)}")
    none = _names(whole.get("no_relation", []), "no_relation")
    return _Entries({_name(name, "means"): _meant(name, value) for name, value in means.items()}, none)


def _meant(name: str, value: Any) -> tuple[str, ...]:
    place = f"means: {printable(name)}"
    if not (meant := _names(value, place)):
        raise BadInput(f"{place}: expected one meaning or more, got an empty list")
    return meant


def _names(value: Any, place: str) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise BadInput(f"{place}: expected a name or a list of names, got {kind(value)}")
    names = tuple(_name(one, place) for one in value)
    for name, count in Counter(names).items():
        if count > 1:
            raise BadInput(f"{place}: expected each name once, got {shown(name)} twice")
    return names


def _name(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{place}: expected a name, got {kind(value)}")
    if not value.strip():
        raise BadInput(f"{place}: expected a name, got an empty one")
    return value
