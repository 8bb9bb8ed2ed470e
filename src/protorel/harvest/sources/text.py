"""Documents of any source of text: Wikipedia XML, JSON lines, Parquet or plain text, recognised by their content.

A harvest passes Wikipedia's pages on as wikitext (`RawDocument`). They are parsed where a shard is worked on, because
parsing costs most and shards are worked on in parallel.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path

from protorel.corpora import Reject
from protorel.harvest.sources.documents import read_json_documents, read_parquet_documents, read_plain
from protorel.harvest.sources.files import files_in, first_bytes, why_empty
from protorel.harvest.sources.tables import PARQUET_MAGIC
from protorel.harvest.sources.wikipedia import RawPage, Redirects, collect_redirects, raw_pages
from protorel.harvest.sources.xml_pages import is_xml
from protorel.harvest.types import Document, Tally
from protorel.statements import BadInput

RawDocument = Document | RawPage
_CHARACTERS_PER_LINK = 50
"""A link takes about as much memory as this many characters."""


def open_documents(path: Path, tally: Tally | None = None) -> Iterator[Document]:
    """Yield the documents of a file, or of all files in a folder; links are resolved by the redirects of all its dumps.

    Raises:
        BadInput: no document could be read.
    """
    tally = tally or Tally()
    before = tally.taken
    files = files_in(path)
    with _redirects_among(files) as redirects:
        for file in files:
            name = file.relative_to(path).as_posix() if path.is_dir() else file.name
            for raw in _documents_in(file, tally, name):
                document = raw if isinstance(raw, Document) else raw.parse(tally, redirects)
                if document is not None:
                    yield document
    if tally.taken == before:
        raise BadInput(f"{path}: no document could be read{tally.first_example()}")


def raw_documents(paths: Sequence[Path], tally: Tally) -> Iterator[RawDocument]:
    """Yield the documents of all paths, in order, pages of Wikipedia unparsed."""
    for path in paths:
        dumps = _dumps([path])
        if not dumps:
            yield from open_documents(path, tally)
        else:
            for file in files_in(path):
                yield from raw_pages(file, tally) if file in dumps else open_documents(file, tally)


def portions(documents: Iterable[RawDocument], *, most: int, characters: int) -> Iterator[tuple[RawDocument, ...]]:
    """Yield the documents in portions of at most `most` documents; one is also full when it has enough characters."""
    portion: list[RawDocument] = []
    size = 0
    for one in documents:
        portion.append(one)
        if isinstance(one, Document):
            size += len(one.text) + _CHARACTERS_PER_LINK * len(one.links)
        else:
            size += len(one.page.text or "")
        if len(portion) >= most or size >= characters:
            yield tuple(portion)
            portion, size = [], 0
    if portion:
        yield tuple(portion)


def parse(raw: RawDocument, tally: Tally, redirects: Path | None) -> Document | None:
    """Return the document; None, counted in `tally`, if a page is not an article or cannot be read."""
    return raw if isinstance(raw, Document) else raw.parse(tally, _redirects_at(redirects))


def redirect_table(paths: Sequence[Path], table: Path) -> Path | None:
    """Write the redirects of all dumps among the paths to `table`, unless it exists; None if there is no dump."""
    dumps = _dumps(paths)
    if not dumps:
        return None
    if not table.exists():
        collect_redirects(dumps, table)
    return table


def _documents_in(path: Path, tally: Tally, name: str) -> Iterator[RawDocument]:
    start = first_bytes(path)
    if not start:
        tally.reject(Reject(name, None, "file", why_empty(path), ""))
    elif start.startswith(PARQUET_MAGIC):
        yield from read_parquet_documents(path, tally)
    elif is_xml(start):
        yield from raw_pages(path, tally)
    elif _is_json_line(start):
        yield from read_json_documents(path, tally)
    elif b"\0" in start:
        tally.reject(Reject(name, None, "file", "expected text, JSON lines, Parquet or XML, got other binary data", ""))
    else:
        yield from read_plain(path, tally, name=name)


def _is_json_line(start: bytes) -> bool:
    first = start.lstrip().partition(b"\n")[0].rstrip()
    return first.startswith(b'{"') and (first.endswith(b"}") or len(first) > 1_000)


def _dumps(paths: Sequence[Path]) -> list[Path]:
    return [file for path in paths for file in files_in(path) if is_xml(first_bytes(file))]


@contextmanager
def _redirects_among(files: Sequence[Path]) -> Iterator[Redirects]:
    dumps = _dumps(files)
    if not dumps:
        yield Redirects()
        return
    with tempfile.TemporaryDirectory(prefix="protorel-redirects-") as folder:
        table = Path(folder) / "redirects.sqlite"
        collect_redirects(dumps, table)
        with closing(Redirects(table)) as redirects:
            yield redirects


@lru_cache(maxsize=2)
def _redirects_at(table: Path | None) -> Redirects:
    return Redirects(table)
