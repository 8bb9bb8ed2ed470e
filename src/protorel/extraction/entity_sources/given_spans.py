"""Entities that come with the texts: a text that brings none is refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from protorel.extraction.entity_sources.choice import EntitySource
from protorel.io import BadInput, shown


def check(argument: str | None) -> None:
    """Refuse an argument."""
    if argument is not None:
        raise BadInput(f"entities: expected given without an argument, got {shown(argument)}")


def make(argument: str | None) -> EntitySource:
    """Return a source that is never needed where texts bring their entities."""
    check(argument)
    return _missing


def _missing(_: str, /) -> Iterable[Any]:
    return _refuse()


def _refuse() -> NoReturn:
    raise BadInput("entities: is missing; expected spans with start and stop in characters")
