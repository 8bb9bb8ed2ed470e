"""Sentences that tell relations plainly, made in the tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from protorel.statements import Span, Statement

MakeStatement = Callable[..., Statement]


def _said(text: str, head: str, tail: str, relation: str | None = None, **more) -> Statement:
    """Mark the first places where two names stand in a text."""
    spans = [Span(text.index(name), text.index(name) + len(name)) for name in (head, tail)]
    return Statement(text, *spans, relation, **more)


@pytest.fixture(scope="session")
def said() -> MakeStatement:
    return _said


@pytest.fixture(scope="session")
def towns(said) -> list[Statement]:
    """Two relations of people and towns; one birth is told of a pair that is labelled otherwise."""
    names = ["Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo"]
    places = ["Lunsk", "Oster", "Mere", "Tarn", "Kroll"]
    told = []
    for number, name in enumerate(names):
        place = places[number % 5]
        told.append(said(f"{name} was born in {place} long ago.", name, place, "born_in", id=f"b{number}"))
        other = places[(number + 1) % 5]
        told.append(said(f"In {other} died {name}, alone.", name, other, "died_in", id=f"d{number}"))
    told.append(said("Ada was born in Mere long ago.", "Ada", "Mere", "died_in", id="wrong"))
    return told
