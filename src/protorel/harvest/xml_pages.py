"""Pages of a MediaWiki XML dump, one at a time: the file may be larger than any memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from protorel.corpora.rejects import Reject
from protorel.harvest.dump_stream import CUT_SHORT, tolerant
from protorel.harvest.libraries import library
from protorel.harvest.tally import Tally
from protorel.statements import BadInput

MALFORMED = "XML not as MediaWiki writes it: read up to there"
_PAGES_BETWEEN_CLEANINGS = 100


@dataclass(frozen=True, slots=True)
class Page:
    """A page as the dump has it; of several revisions the last."""

    id: str
    title: str
    namespace: int
    redirect: str | None
    revision: str | None
    model: str | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Site:
    """What a dump says of its wiki before the first page."""

    name: str | None
    namespaces: Mapping[str, int]


def xml_pages(path: Path, tally: Tally) -> Iterator[Site | Page]:
    """Yield what the dump says of its wiki, then its pages; where the XML breaks off, that is counted and ends it."""
    mwxml = library("mwxml")
    elements = library("mwxml.element_iterator")
    malformed = library("mwxml.errors").MalformedXML
    with tolerant(path, tally) as stream:
        try:
            root = elements.ElementIterator.from_file(stream)
            if root.tag != "mediawiki":
                raise BadInput(f"{path}: its XML begins with <{root.tag[:40]}>, <mediawiki> is wanted")
            dump = mwxml.Dump.from_element(root)
            yield _site(dump.site_info)
            for number, page in enumerate(dump.pages):
                yield _page(page)
                if number % _PAGES_BETWEEN_CLEANINGS == 0:
                    # The parser keeps an empty element for every page it has passed: millions, in a whole dump.
                    root.element.clear()
        except (ParseError, StopIteration) as problem:
            tally.notice(
                CUT_SHORT, example=Reject(path.name, None, "file", f"its XML breaks off ({problem})"[:200], "")
            )
        except (malformed, AttributeError, TypeError, ValueError) as problem:
            if isinstance(problem, BadInput):
                raise
            what = f"{type(problem).__name__}: {problem}"[:200]
            tally.notice(MALFORMED, example=Reject(path.name, None, "file", what, ""))


def is_xml(start: bytes) -> bool:
    """Tell whether a file that begins so is XML or HTML."""
    return start.lstrip()[:10].lower().startswith((b"<mediawiki", b"<?xml", b"<!doctype", b"<html"))


def _site(info: Any) -> Site:
    return Site(info.name, {space.name: space.id for space in info.namespaces or () if space.name is not None})


def _page(page: Any) -> Page:
    revision = None
    for revision in page:  # noqa: B007 (the last one is wanted)
        pass
    return Page(
        id=str(page.id),
        title=page.title,
        namespace=page.namespace,
        redirect=page.redirect,
        revision=None if revision is None else str(revision.id),
        model=None if revision is None else revision.model,
        text=None if revision is None else revision.text,
    )
