"""What a user knows about relations: types of head and tail, symmetry, inverses, and how many there can be.

A schema is YAML:

    born_in:
      head_types: [PERSON]
      tail_types: [GPE, LOC]
      at_most_one_per: head
    spouse: {symmetric: true}
    parent: {inverse: child}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from protorel.io import BadInput, kind, parse_yaml, printable, read_text, shown

_MOST_BYTES = 2**22
_KEYS = ("head_types", "tail_types", "symmetric", "inverse", "at_most_one_per")
_SIDES = ("head", "tail")


@dataclass(frozen=True, slots=True)
class RelationRule:
    """What holds for every triple of one relation."""

    head_types: frozenset[str] = frozenset()
    """Types that the head may have, in lower case; empty: any."""
    tail_types: frozenset[str] = frozenset()
    symmetric: bool = False
    """Whether the relation holds in both directions or in none."""
    inverse: str | None = None
    """The relation that holds in the other direction whenever this one holds."""
    at_most_one_per: frozenset[str] = frozenset()
    """`head`: a head has at most one tail; `tail`: a tail has at most one head."""

    def fits(self, head_type: str | None, tail_type: str | None) -> bool:
        """Tell whether entities of these types may hold the relation; an unknown type fits."""
        return _fits(self.head_types, head_type) and _fits(self.tail_types, tail_type)


@dataclass(frozen=True, slots=True)
class Schema:
    """Rules by relation; a relation without a rule is not restricted.

    >>> schema = Schema.of({"born_in": {"head_types": ["PERSON"]}, "parent": {"inverse": "child"}})
    >>> schema.fits("born_in", "ORG", "GPE"), schema.fits("born_in", None, "GPE"), schema.rule("child").inverse
    (False, True, 'parent')
    """

    rules: Mapping[str, RelationRule] = field(default_factory=dict)
    where: str = "schema"
    """What messages call it."""

    @classmethod
    def load(cls, path: Path | str) -> Schema:
        """Read a schema file.

        Raises:
            BadInput: the file cannot be read, or says what no schema can say.
        """
        try:
            given = parse_yaml(read_text(Path(path), most_bytes=_MOST_BYTES), as_text=True)
        except BadInput:
            raise
        except ValueError as problem:
            raise BadInput(f"{path}: {problem}") from problem
        return cls.of(given, where=str(path))

    @classmethod
    def of(cls, given: object, *, where: str = "schema") -> Schema:
        """Return a schema from a mapping of relations to their rules, as a file holds it."""
        if not isinstance(given, Mapping):
            raise BadInput(f"{where}: expected a mapping of relations to rules, got {kind(given)}")
        rules = {_name(name, where): _rule(rule, f"{where}, {printable(str(name))}") for name, rule in given.items()}
        return cls(_with_inverses(rules, where), where)

    def rule(self, relation: str) -> RelationRule:
        """Return the rule of a relation; one that restricts nothing if there is none."""
        return self.rules.get(relation, _FREE)

    def fits(self, relation: str, head_type: str | None, tail_type: str | None) -> bool:
        """Tell whether entities of these types may hold a relation."""
        return self.rule(relation).fits(head_type, tail_type)

    def check_relations(self, known: Iterable[str]) -> None:
        """Raise `BadInput` if a rule is about a relation that is not among the known ones."""
        names = tuple(known)
        for name in self.rules:
            if name not in names:
                raise BadInput(f"{self.where}: expected relations of the model, got {shown(name)}{_hint(name, names)}")


_FREE = RelationRule()


def _fits(types: frozenset[str], found: str | None) -> bool:
    return not types or found is None or found.casefold() in types


def _rule(given: object, where: str) -> RelationRule:
    if given in (None, ""):
        return _FREE
    if not isinstance(given, Mapping):
        raise BadInput(f"{where}: expected a mapping with {', '.join(_KEYS)}, got {kind(given)}")
    for key in given:
        if key not in _KEYS:
            raise BadInput(f"{where}: expected one of {', '.join(_KEYS)}, got {shown(key)}{_hint(key, _KEYS)}")
    sides = frozenset(_names(given.get("at_most_one_per", ()), f"{where}, at_most_one_per"))
    if wrong := sorted(sides - set(_SIDES)):
        raise BadInput(f"{where}, at_most_one_per: expected head or tail, got {shown(wrong[0])}")
    inverse = given.get("inverse")
    symmetric = _truth(given.get("symmetric", False), f"{where}, symmetric")
    if symmetric and inverse is not None:
        raise BadInput(f"{where}: expected symmetric or inverse, got both. A symmetric relation is its own inverse")
    return RelationRule(
        head_types=frozenset(name.casefold() for name in _names(given.get("head_types", ()), f"{where}, head_types")),
        tail_types=frozenset(name.casefold() for name in _names(given.get("tail_types", ()), f"{where}, tail_types")),
        symmetric=symmetric,
        inverse=None if inverse is None else _name(inverse, f"{where}, inverse"),
        at_most_one_per=sides,
    )


def _with_inverses(rules: dict[str, RelationRule], where: str) -> dict[str, RelationRule]:
    """Return rules in which each inverse names the other; refuse chains and cycles, in which it cannot."""
    whole = dict(rules)
    for name, rule in rules.items():
        if rule.inverse is None:
            continue
        if rule.inverse == name:
            raise BadInput(f"{where}, {printable(name)}: is its own inverse. Write symmetric: true")
        other = whole.get(rule.inverse, _FREE)
        if other.symmetric or other.inverse not in (None, name):
            got = "symmetric: true" if other.symmetric else shown(other.inverse)
            raise BadInput(
                f"{where}, {printable(rule.inverse)}, inverse: expected {shown(name)}, whose inverse it is, got {got}. "
                "Inverses come in pairs"
            )
        whole[rule.inverse] = replace(other, inverse=name)
    return whole


def _truth(value: object, where: str) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.casefold() in ("true", "false"):
        return value.casefold() == "true"
    raise BadInput(f"{where}: expected true or false, got {shown(value)}")


def _names(value: Any, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple | set | frozenset):
        raise BadInput(f"{where}: expected a name or a list of names, got {kind(value)}")
    return tuple(_name(one, where) for one in value)


def _name(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"{where}: expected a name, got {shown(value)}")
    return value


def _hint(name: object, known: Iterable[str]) -> str:
    near = get_close_matches(str(name), list(known), n=1)
    return f". Did you mean {shown(near[0])}?" if near else ""
