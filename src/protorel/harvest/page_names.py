"""What a page itself says about names: its links, its title, and the same names further down on the page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from protorel.harvest.gazetteer import Gazetteer
from protorel.harvest.name_rules import refused
from protorel.harvest.types import Document, Link
from protorel.statements import Span

_IN_BRACKETS = re.compile(r"(?<!\s)\s*+\([^()]*+\)$")


@dataclass(frozen=True, slots=True)
class Linked:
    """A link whose page is an entity that we know, in the sentence that holds it."""

    sentence: int
    span: Span
    """Characters of the sentence."""
    entity: int


@dataclass(slots=True)
class PageNames:
    """The entities that a page speaks of by its own word, and what it calls them."""

    links: list[Linked] = field(default_factory=list)
    names: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each name the entity, and the sentence from which on the page uses it so."""
    entities: set[int] = field(default_factory=set)
    strangers: list[tuple[int, Span]] = field(default_factory=list)
    """Links to pages of no known entity: sentence and place."""


def page_names(
    documents: Sequence[Document], sentences: Sequence[Sequence[Span]], gazetteer: Gazetteer, counts: Counter[str]
) -> list[PageNames]:
    """Gather the links and titles of pages; links to pages of no known entity are counted, and so are torn ones."""
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
            page.strangers.append((at, Span(link.start - spans[at].start, link.stop - spans[at].start)))
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
    """Take a name from the page; one that the page uses for two entities is nobody's."""
    if name in unclear or refused(name):
        return
    if name in page.names and page.names[name][0] != entity:
        unclear.add(name)
        del page.names[name]
    else:
        page.names.setdefault(name, (entity, sentence))
