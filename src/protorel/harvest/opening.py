"""Opening a source by its path: what it is, its content says, not its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from protorel.corpora import Reject
from protorel.harvest.delimited import PARQUET_MAGIC
from protorel.harvest.documents import read_json_documents, read_parquet_documents, read_plain
from protorel.harvest.dump_stream import first_bytes, why_empty
from protorel.harvest.redirects import Redirects, redirects_for
from protorel.harvest.tally import Tally
from protorel.harvest.triples import read_triples
from protorel.harvest.types import Document
from protorel.harvest.wikidata import Record, read_wikidata
from protorel.harvest.wikipedia import read_wikipedia
from protorel.harvest.xml_pages import is_xml
from protorel.io import check_source
from protorel.statements import BadInput


def open_facts(
    path: Path, tally: Tally | None = None, *, language: str = "en", columns: Sequence[str] | None = None
) -> Iterator[Record]:
    """Yield the facts of a Wikidata JSON dump or of a table of triples, or of every file in a folder, in order.

    A file that is neither raises `BadInput`, and so does one in which there is no fact.
    """
    tally = tally or Tally()
    for file in files_in(path):
        yield from _facts_of(file, tally, language, columns)


def open_documents(path: Path, tally: Tally | None = None, *, redirects: Redirects | None = None) -> Iterator[Document]:
    """Yield the documents of Wikipedia XML, lines of JSON, Parquet or plain text, or of all files in a folder.

    Redirects are resolved with those given or, where none are, with those of all XML files at `path`. A path with
    nothing to read in it raises `BadInput`.
    """
    tally = tally or Tally()
    before = tally.taken
    files = files_in(path)
    with redirects_for(files, redirects) as known:
        for file in files:
            name = file.relative_to(path).as_posix() if path.is_dir() else file.name
            yield from _documents_of(file, tally, name, known)
    if tally.taken == before:
        raise BadInput(f"{path}: no document could be read from it{_first_reason(tally)}")


def files_in(path: Path) -> list[Path]:
    """Return the file itself, or a folder's files in order, those of folders in it too; hidden ones are left out."""
    check_source(path, folder=True)
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.is_file() and not _is_hidden(file.relative_to(path)))
    if not files:
        raise BadInput(f"{path}: this folder holds no file, one or more are wanted")
    return files


def _facts_of(path: Path, tally: Tally, language: str, columns: Sequence[str] | None) -> Iterator[Record]:
    start = first_bytes(path).lstrip()
    if not start:
        raise BadInput(f"{path}: {why_empty(path)}, facts are wanted")
    before = tally.taken
    if start.startswith(PARQUET_MAGIC):
        yield from read_triples(path, tally, columns=columns)
    elif start.startswith((b"{", b"[")):
        yield from read_wikidata(path, tally, language=language)
    elif is_xml(start):
        raise BadInput(f"{path}: is XML; facts come from Wikidata's JSON dump, or from triples in TSV, CSV or Parquet")
    else:
        _check_table(path, start)
        yield from read_triples(path, tally, columns=columns)
    if tally.taken == before:
        raise BadInput(f"{path}: no fact could be read from it{_first_reason(tally)}")


def _documents_of(path: Path, tally: Tally, name: str, redirects: Redirects) -> Iterator[Document]:
    start = first_bytes(path)
    if not start:
        tally.reject(Reject(name, None, "file", why_empty(path), ""))
    elif start.startswith(PARQUET_MAGIC):
        yield from read_parquet_documents(path, tally)
    elif is_xml(start):
        yield from read_wikipedia(path, tally, redirects=redirects)
    elif _is_json_line(start):
        yield from read_json_documents(path, tally)
    elif b"\0" in start:
        tally.reject(Reject(name, None, "file", "is neither text nor a form of documents that is known", ""))
    else:
        yield from read_plain(path, tally, name=name)


def _is_json_line(start: bytes) -> bool:
    first = start.lstrip().partition(b"\n")[0].rstrip()
    return first.startswith(b'{"') and (first.endswith(b"}") or len(first) > 1_000)


def _first_reason(tally: Tally) -> str:
    first = next((rejects[0] for rejects in tally.examples.values() if rejects), None)
    return f"; first reason: {first}" if first else ""


def _check_table(path: Path, start: bytes) -> None:
    first = start.partition(b"\n")[0]
    if b"\0" in first or not (b"\t" in first or b"," in first):
        shown = first[:40].decode("utf-8", "replace")
        raise BadInput(f"{path}: begins with {shown!r}, neither a Wikidata JSON dump nor triples with tabs or commas")


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
