"""Wikipedia's `pages-articles` XML: the pages of the main namespace as plain text with links, redirects resolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from protorel.corpora import Reject
from protorel.harvest.link_targets import LinkTargets
from protorel.harvest.redirects import Redirects, redirects_for
from protorel.harvest.tally import Tally
from protorel.harvest.types import Document
from protorel.harvest.wikitext import MAX_WIKITEXT, plain_text
from protorel.harvest.xml_pages import Page, Site, xml_pages
from protorel.statements import BadInput

REDIRECT = "redirect"
UNCLOSED = "markup opened and never closed: opening dropped"
TOO_DEEP = "markup nested too deeply: dropped"
CUT = f"page of more than {MAX_WIKITEXT} characters: cut"
CUT_CHARACTERS = "characters cut from pages that are too long"


def read_wikipedia(path: Path, tally: Tally, *, redirects: Redirects | None = None) -> Iterator[Document]:
    """Yield a document for each article of a dump; without a table of redirects the file is read twice to make one.

    Redirects and pages of other namespaces are left out; pages that are no wikitext or have no prose are rejected.
    """
    targets = LinkTargets()
    with redirects_for([path], redirects) as known:
        for found in xml_pages(path, tally):
            if isinstance(found, Site):
                if found.name == "Wikidata":
                    raise BadInput(f"{path}: is a dump of Wikidata; text comes from a Wikipedia's pages-articles")
                targets = LinkTargets(found.namespaces)
            elif document := article(found, path.name, tally, targets, known):
                tally.take()
                yield document


def article(page: Page, file: str, tally: Tally, targets: LinkTargets, redirects: Redirects) -> Document | None:
    """Return the article that a page is; None, counted, where it is none."""
    if page.namespace != 0:
        tally.leave("page of another namespace")
        return None
    if page.redirect is not None:
        tally.leave(REDIRECT)
        return None
    problem = _problem(page)
    if problem:
        tally.reject(Reject(file, None, page.title, problem, (page.text or "")[:600]), reason=problem)
        return None
    plain = plain_text(page.text or "", targets)
    tally.notice(UNCLOSED, plain.unclosed)
    tally.notice(TOO_DEEP, plain.too_deep)
    if cut := page.excess + plain.cut:
        tally.notice(CUT)
        tally.notice(CUT_CHARACTERS, cut)
    if not plain.text:
        tally.reject(Reject(file, None, page.title, "has no prose", (page.text or "")[:600]), reason="has no prose")
        return None
    links = tuple(replace(link, target=redirects.resolve(link.target)) for link in plain.links)
    return Document(page.id, page.title, page.revision, plain.text, links)


def _problem(page: Page) -> str | None:
    if page.model not in (None, "wikitext"):
        return f"is of the model {page.model[:40]}, wikitext is wanted"
    return None if page.text and page.text.strip() else "has no text"
