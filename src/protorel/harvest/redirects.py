"""Which titles lead to which other titles: a table on disk, for a wiki has millions of redirects."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path

from protorel.harvest.dump_stream import first_bytes
from protorel.harvest.link_targets import clean_title
from protorel.harvest.tally import Tally
from protorel.harvest.xml_pages import MAX_FIELD, Page, is_xml, xml_pages
from protorel.io import written_whole

_MOST_STEPS = 5
_REMEMBERED = 100_000
_ROWS_AT_A_TIME = 10_000


class Redirects:
    """Follows redirects by the table at `path`, which processes may share; without one no title is a redirect."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True) if path else None
        self._next = lru_cache(maxsize=_REMEMBERED)(self._looked_up)

    def resolve(self, title: str) -> str:
        """Return the title that a title leads to in the end: itself where it is no redirect or goes in a circle."""
        if len(title) > MAX_FIELD:
            return title
        place = title
        for _ in range(_MOST_STEPS):
            following = self._next(place)
            if following is None:
                return place
            place = following
            if place == title:
                return title
        return place

    def close(self) -> None:
        """Let go of the table."""
        if self._connection:
            self._connection.close()

    def _looked_up(self, title: str) -> str | None:
        if self._connection is None:
            return None
        row = self._connection.execute("SELECT target FROM redirects WHERE title = ?", (title,)).fetchone()
        return row[0] if row else None


def collect_redirects(files: Iterable[Path], out: Path) -> int:
    """Write the redirects of XML dumps to the table `out`, whole or not at all; return how many there are."""
    with written_whole(out) as beside, closing(sqlite3.connect(beside)) as connection:
        connection.execute("CREATE TABLE redirects (title TEXT PRIMARY KEY, target TEXT NOT NULL) WITHOUT ROWID")
        # Nothing of this is worth a journal: a table that is not whole is thrown away.
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


@contextmanager
def redirects_for(files: Sequence[Path], given: Redirects | None = None) -> Iterator[Redirects]:
    """Give the redirects that were given or, for the time of the block, those of the XML dumps among the files."""
    dumps = [] if given else [file for file in files if is_xml(first_bytes(file))]
    if given or not dumps:
        yield given or Redirects()
        return
    with tempfile.TemporaryDirectory(prefix="protorel-redirects-") as folder:
        collect_redirects(dumps, Path(folder) / "redirects.sqlite")
        redirects = Redirects(Path(folder) / "redirects.sqlite")
        try:
            yield redirects
        finally:
            redirects.close()


def _redirects(files: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for file in files:
        # What is wrong with the file is counted when its pages are read.
        for page in xml_pages(file, Tally()):
            if isinstance(page, Page) and page.redirect and page.namespace == 0:
                title, target = clean_title(page.title), clean_title(page.redirect)
                if title and target and title != target:
                    yield title, target


def _insert(connection: sqlite3.Connection, rows: list[tuple[str, str]]) -> None:
    connection.executemany("INSERT OR REPLACE INTO redirects VALUES (?, ?)", rows)
    connection.commit()
    rows.clear()
