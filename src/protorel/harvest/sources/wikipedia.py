"""Wikipedia's `pages-articles` XML: articles of the main namespace as plain text, their links with redirects resolved.

A wiki has millions of redirects, so a first pass writes them to a table on disk that processes share.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from protorel.corpora import Reject
from protorel.harvest.sources.xml_pages import MAX_FIELD, Page, Site, xml_pages
from protorel.harvest.types import Document, Tally
from protorel.harvest.wikitext.link_targets import LinkTargets, clean_title
from protorel.harvest.wikitext.plain_text import MAX_WIKITEXT, plain_text
from protorel.io import written_whole
from protorel.statements import BadInput

REDIRECT = "redirect"
UNCLOSED = "markup opened and never closed: opening dropped"
TOO_DEEP = "markup nested too deeply: dropped"
CUT = f"page of more than {MAX_WIKITEXT} characters: cut"
CUT_CHARACTERS = "characters cut from pages that are too long"
_MOST_STEPS = 5
_CACHED = 100_000
_ROWS_AT_A_TIME = 10_000


class Redirects:
    """Follows redirects by the table at `path`, which processes may share; without one no title is a redirect."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True) if path else None
        self._next = lru_cache(maxsize=_CACHED)(self._look_up)

    def resolve(self, title: str) -> str:
        """Return the title that a title finally leads to: itself if it is not a redirect or part of a circle."""
        if len(title) > MAX_FIELD:
            return title
        current = title
        for _ in range(_MOST_STEPS):
            following = self._next(current)
            if following is None:
                return current
            current = following
            if current == title:
                return title
        return current

    def close(self) -> None:
        """Close the table."""
        if self._connection:
            self._connection.close()

    def _look_up(self, title: str) -> str | None:
        if self._connection is None:
            return None
        row = self._connection.execute("SELECT target FROM redirects WHERE title = ?", (title,)).fetchone()
        return row[0] if row else None


def collect_redirects(files: Iterable[Path], out: Path) -> int:
    """Write the redirects of XML dumps to the table `out`, atomically; return their number."""
    with written_whole(out) as partial, closing(sqlite3.connect(partial)) as connection:
        connection.execute("CREATE TABLE redirects (title TEXT PRIMARY KEY, target TEXT NOT NULL) WITHOUT ROWID")
        # No journal: an incomplete table is thrown away.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        rows: list[tuple[str, str]] = []
        for row in _redirects(files):
            rows.append(row)
            if len(rows) >= _ROWS_AT_A_TIME:
                _insert(connection, rows)
        _insert(connection, rows)
        count: int = connection.execute("SELECT count(*) FROM redirects").fetchone()[0]
    return count


def _redirects(files: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for file in files:
        # Problems of the file are counted when its pages are read.
        for page in xml_pages(file, Tally()):
            if isinstance(page, Page) and page.redirect and page.namespace == 0:
                title, target = clean_title(page.title), clean_title(page.redirect)
                if title and target and title != target:
                    yield title, target


def _insert(connection: sqlite3.Connection, rows: list[tuple[str, str]]) -> None:
    connection.executemany("INSERT OR REPLACE INTO redirects VALUES (?, ?)", rows)
    connection.commit()
    rows.clear()


@dataclass(frozen=True, slots=True)
class RawPage:
    """A page of a dump, still as wikitext, and what is needed to parse it."""

    page: Page
    file: str
    namespaces: tuple[tuple[str, int], ...]

    def parse(self, tally: Tally, redirects: Redirects) -> Document | None:
        """Return the article; None, counted in `tally`, if the page is not an article or cannot be read."""
        document = _article(self.page, self.file, tally, _link_targets(self.namespaces), redirects)
        if document is not None:
            tally.take()
        return document


def raw_pages(path: Path, tally: Tally) -> Iterator[RawPage]:
    """Yield the articles of a dump; redirects and pages of other namespaces are only counted."""
    namespaces: Mapping[str, int] = {}
    for found in xml_pages(path, tally):
        if isinstance(found, Site):
            if found.name == "Wikidata":
                raise BadInput(f"{path}: expected a Wikipedia's pages-articles dump, got a dump of Wikidata")
            namespaces = found.namespaces
        elif found.namespace != 0:
            tally.leave("page of another namespace")
        elif found.redirect is not None:
            tally.leave(REDIRECT)
        else:
            yield RawPage(found, path.name, tuple(namespaces.items()))


def _article(page: Page, file: str, tally: Tally, targets: LinkTargets, redirects: Redirects) -> Document | None:
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
        return f"expected the content model wikitext, got {page.model[:40]}"
    return None if page.text and page.text.strip() else "has no text"


@lru_cache(maxsize=8)
def _link_targets(namespaces: tuple[tuple[str, int], ...]) -> LinkTargets:
    return LinkTargets(dict(namespaces))
