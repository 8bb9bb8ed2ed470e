"""The phrasings of the small world, from the YAML files in `wording/`: for each relation, and for none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from protorel.corpora.small_world.relations import DEFINITIONS, FAMILIES


@dataclass(frozen=True, slots=True)
class Phrasings:
    """The sentences that express one relation, with {head} and {tail} for its entities."""

    training: tuple[str, ...]
    held_out: tuple[str, ...]
    """Never seen in training."""

    @property
    def all(self) -> tuple[str, ...]:
        """Both kinds."""
        return self.training + self.held_out


@dataclass(frozen=True, slots=True)
class Aside:
    """A clause that names a third entity of the given type, and a fourth where it holds a {claim}."""

    third_type: str
    wording: str


@dataclass(frozen=True, slots=True)
class Asides:
    """Clauses to put before, after or inside a sentence, and the claims that they make."""

    before: tuple[Aside, ...]
    after: tuple[Aside, ...]
    inside: dict[str, tuple[Aside, ...]]
    """By the type of the entity that the clause follows."""
    claims: dict[str, tuple[str, ...]]
    """By relation."""


@cache
def phrasings() -> dict[str, Phrasings]:
    """Return the phrasings of every relation, by its id."""
    return {
        definition.id: Phrasings(
            training=_lines(_wording(definition.family)[definition.id]["training"]),
            held_out=_lines(_wording(definition.family)[definition.id]["held_out"]),
        )
        for definition in DEFINITIONS
    }


@cache
def neutral_phrasings() -> dict[str, tuple[str, ...]]:
    """Return, for each family, sentences that name both entities without expressing a relation."""
    return {family: _lines(_wording(family)["neutral"]) for family in FAMILIES}


@cache
def asides() -> Asides:
    """Return the clauses that name entities other than the pair of the sentence."""
    wording = _wording("asides")
    return Asides(
        before=_typed(wording["before"]),
        after=_typed(wording["after"]),
        inside={
            kind: tuple(Aside(*line.split(": ", 1)) for line in _lines(text))
            for kind, text in wording["inside"].items()
        },
        claims={relation: _lines(text) for relation, text in wording["claims"].items()},
    )


def _typed(by_type: dict[str, str]) -> tuple[Aside, ...]:
    return tuple(Aside(kind, line) for kind, text in by_type.items() for line in _lines(text))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.splitlines())


@cache
def _wording(name: str) -> dict[str, Any]:
    text = files("protorel.corpora.small_world").joinpath("wording", f"{name}.yaml").read_text(encoding="utf-8")
    wording: dict[str, Any] = yaml.safe_load(text)
    return wording
