"""The one registry of entity sources: a name on the command line, or an object in Python, becomes a source.

Adding a source: one file next to this one, and one line in `SOURCES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Protocol

from protorel.io import BadInput, kind, shown


class EntitySource(Protocol):
    """Finds the entities of a text."""

    def __call__(self, text: str, /) -> Iterable[Any]:
        """Return mentions, or spans of characters in any form that `as_mentions` takes."""
        ...


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source that the command line can name, as `NAME` or `NAME:ARGUMENT`."""

    usage: str
    module: str
    """The module that makes it; imported when the source is used."""

    def check(self, argument: str | None) -> None:
        """Raise `BadInput`, without any work, if the source could not be made of its argument."""
        import_module(self.module).check(argument)

    def make(self, argument: str | None) -> EntitySource:
        """Return the source."""
        made: EntitySource = import_module(self.module).make(argument)
        return made


_HERE = "protorel.extraction.entity_sources"
SOURCES = {
    "spacy": NamedSource("spacy[:PIPELINE]", f"{_HERE}.spacy_pipeline"),
    "names": NamedSource("names:FILE", f"{_HERE}.knowledge_base"),
    "given": NamedSource("given", f"{_HERE}.given_spans"),
}
DEFAULT = "spacy"


def entity_source(given: object | None) -> EntitySource:
    """Return the source that is given: by name, as a spaCy pipeline, or as a function; None: the default one.

    Raises:
        BadInput: there is no such source, or it is neither a name nor a function.
    """
    if given is None or isinstance(given, str):
        source, argument = _named(DEFAULT if given is None else given)
        return source.make(argument)
    if hasattr(given, "pipe_names") and hasattr(given, "pipe"):  # a spaCy Language, without importing spaCy
        from protorel.extraction.entity_sources.spacy_pipeline import SpacyEntities

        return SpacyEntities(given)
    if isinstance(given, Callable):  # type: ignore[arg-type]
        return given  # type: ignore[return-value]
    raise BadInput(f"entities: expected a function, a spaCy pipeline or the name of a source, got {kind(given)}")


def check_source_name(name: str) -> None:
    """Refuse, before any work, the name of a source that is not there or could not be made."""
    source, argument = _named(name)
    source.check(argument)


def _named(name: str) -> tuple[NamedSource, str | None]:
    head, colon, argument = name.partition(":")
    if head in SOURCES:
        return SOURCES[head], argument if colon else None
    near = get_close_matches(head, SOURCES, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"A spaCy pipeline is named spacy:{name}"
    usages = ", ".join(source.usage for source in SOURCES.values())
    raise BadInput(f"entities: expected {usages}, got {shown(name)}. {hint}")
