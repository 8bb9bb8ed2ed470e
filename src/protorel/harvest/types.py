"""What passes between the two halves of the harvest: facts and the names of things, documents and their links."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """One entity-valued statement of a knowledge base, by ids."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that facts speak of, and what a text may call it."""

    id: str
    label: str | None = None
    """Its name in the language asked for; none where the knowledge base has no name in that language."""
    aliases: tuple[str, ...] = ()
    title: str | None = None
    """The title of its page in the Wikipedia of the language asked for."""
    kinds: tuple[str, ...] = ()
    """What it is an instance of: the values of P31, or the type that an alias file gives."""


@dataclass(frozen=True, slots=True)
class Property:
    """A relation of the knowledge base, by its id, with its words."""

    id: str
    label: str | None = None
    description: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a page: the half-open range of characters of the document's text that carries it."""

    start: int
    stop: int
    target: str
    """The page's title with redirects resolved where they are known, first letter upper case, no underscores."""


@dataclass(frozen=True, slots=True)
class Document:
    """A page or a file as plain text; `text[link.start:link.stop]` is what a reader would click."""

    id: str
    title: str | None
    revision: str | None
    text: str
    links: tuple[Link, ...] = ()
