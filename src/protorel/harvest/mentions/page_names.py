"""The names that a page itself defines by its links and its title, and uses further down."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from protorel.harvest.gazetteer.gazetteer import Gazetteer
from protorel.harvest.gazetteer.name_rules import refused
from protorel.harvest.types import Document, Link
from protorel.statements import Span

_IN_BRACKETS = re.compile(r"(?<!\s)\s*+\([^()]*+\)$")


@dataclass(frozen=True, slots=True)
class Linked:
    """A link to the page of a known entity, in the sentence that holds it."""

    sentence: int
    span: Span
    """Characters of the sentence."""
    entity: int


@dataclass(slots=True)
class PageNames:
    """The entities of a page's links and title, and the names it uses for them."""

    links: list[Linked] = field(default_factory=list)
    names: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each name the entity, and the first sentence that uses it so."""
    entities: set[int] = field(default_factory=set)
    unknown: list[tuple[int, Span]] = field(default_factory=list)
    """Links to pages of unknown entities: sentence and span."""


def page_names(
    documents: Sequence[Document], sentences: Sequence[Sequence[Span]], gazetteer: Gazetteer, counts: Counter[str]
) -> list[PageNames]:
    """Collect the links and titles of pages; links to unknown entities and links that cross sentences are counted."""
    titles = {document.title for document in documents if document.title is not None}
    titles |= {link.target for document in documents for link in document.links}
    listed = sorted(titles)
    known = dict(zip(listed, gazetteer.titled(listed), strict=True)) if listed else {}
    return [_of_page(document, spans, known, counts) for document, spans in zip(documents, sentences, strict=True)]


def _of_page(
    document: Document, spans: Sequence[Span], known: dict[str, int | None], counts: Counter[str]
) -> PageNames:
    page = PageNames()
    unclear: set[str] = set()
    if document.title is not None:
        entity = known[document.title]
        if entity is None:
            counts["pages of no known entity"] += 1
        else:
            page.entities.add(entity)
            _learn(page, unclear, _IN_BRACKETS.sub("", document.title), entity, 0)
    at = 0
    reached = -1
    for link in sorted(document.links, key=lambda link: (link.start, -link.stop)):
        counts["links"] += 1
        while at < len(spans) and spans[at].stop <= link.start:
            at += 1
        if link.start < reached or not _inside(link, spans, at):
            counts["links outside a sentence"] += 1
        elif (entity := known[link.target]) is None:
            counts["links to no known entity"] += 1
            reached = link.stop
            page.unknown.append((at, Span(link.start - spans[at].start, link.stop - spans[at].start)))
        else:
            reached = link.stop
            span = Span(link.start - spans[at].start, link.stop - spans[at].start)
            page.links.append(Linked(at, span, entity))
            page.entities.add(entity)
            _learn(page, unclear, document.text[link.start : link.stop], entity, at)
    return page


def _inside(link: Link, spans: Sequence[Span], at: int) -> bool:
    return link.start < link.stop and at < len(spans) and spans[at].start <= link.start and link.stop <= spans[at].stop


def _learn(page: PageNames, unclear: set[str], name: str, entity: int, sentence: int) -> None:
    """Add a name of the page; a name that the page uses for two entities is dropped."""
    if name in unclear or refused(name):
        return
    if name in page.names and page.names[name][0] != entity:
        unclear.add(name)
        del page.names[name]
    else:
        page.names.setdefault(name, (entity, sentence))
