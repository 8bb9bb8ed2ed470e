"""Documents on their way to the shards: those that cost much to read, Wikipedia's pages, go there unread.

The process that reads a dump only cuts it into pages; wikitext becomes text where a shard is worked on, so that as many
processes do it as there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from protorel.harvest.dump_stream import first_bytes
from protorel.harvest.link_targets import LinkTargets
from protorel.harvest.opening import files_in, open_documents
from protorel.harvest.redirects import Redirects, collect_redirects
from protorel.harvest.tally import Tally
from protorel.harvest.types import Document
from protorel.harvest.wikipedia import article
from protorel.harvest.xml_pages import Page, Site, is_xml, xml_pages
from protorel.statements import BadInput


@dataclass(frozen=True, slots=True)
class UnreadPage:
    """A page of a dump as wikitext, and what must be known to read it."""

    page: Page
    file: str
    namespaces: tuple[tuple[str, int], ...]


Unread = Document | UnreadPage


def unread(paths: Sequence[Path], tally: Tally) -> Iterator[Unread]:
    """Yield the documents of all paths, in order; pages that are no articles are counted here and go no further."""
    for path in paths:
        dumps = _dumps([path])
        if not dumps:
            yield from open_documents(path, tally)
        else:
            for file in files_in(path):
                yield from _pages(file, tally) if file in dumps else open_documents(file, tally)


def portions(documents: Iterable[Unread], *, most: int, characters: int) -> Iterator[tuple[Unread, ...]]:
    """Yield the documents in portions that are full with so many of them, or with so many characters."""
    some: list[Unread] = []
    size = 0
    for one in documents:
        some.append(one)
        # A link takes about as much memory as so many characters.
        size += len(one.text) + 50 * len(one.links) if isinstance(one, Document) else len(one.page.text or "")
        if len(some) >= most or size >= characters:
            yield tuple(some)
            some, size = [], 0
    if some:
        yield tuple(some)


def redirect_table(paths: Sequence[Path], table: Path) -> Path | None:
    """Gather the redirects of all dumps among the paths in a table on disk, once; none where there is no dump."""
    dumps = _dumps(paths)
    if not dumps:
        return None
    if not table.exists():
        collect_redirects(dumps, table)
    return table


def read(given: Unread, tally: Tally, redirects: Path | None) -> Document | None:
    """Return the document; none, counted in `tally`, where a page is no article or cannot be read."""
    if isinstance(given, Document):
        return given
    document = article(given.page, given.file, tally, _targets(given.namespaces), _redirects(redirects))
    if document is not None:
        tally.take()
    return document


def _pages(path: Path, tally: Tally) -> Iterator[UnreadPage]:
    namespaces: Mapping[str, int] = {}
    for found in xml_pages(path, tally):
        if isinstance(found, Site):
            if found.name == "Wikidata":
                raise BadInput(f"{path}: is a dump of Wikidata; text comes from a Wikipedia's pages-articles")
            namespaces = found.namespaces
        else:
            unread_page = UnreadPage(found, path.name, tuple(namespaces.items()))
            if found.namespace == 0 and found.redirect is None:
                yield unread_page
            else:
                read(unread_page, tally, None)


def _dumps(paths: Sequence[Path]) -> list[Path]:
    return [file for path in paths for file in files_in(path) if is_xml(first_bytes(file))]


@lru_cache(maxsize=8)
def _targets(namespaces: tuple[tuple[str, int], ...]) -> LinkTargets:
    return LinkTargets(dict(namespaces))


@lru_cache(maxsize=2)
def _redirects(table: Path | None) -> Redirects:
    return Redirects(table)
