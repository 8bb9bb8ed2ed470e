"""A user's own documents: plain files, lines of JSON, or Parquet.

    {"id": "d1", "title": "Lunsk", "text": "Lunsk is a town.", "links": [{"start": 0, "stop": 5, "target": "Lunsk"}]}

Only `text` is required; a link may also be `[start, stop, target]`. A plain file is one document named after its file;
one of more than `MAX_PART` characters is several, cut at line ends. Bytes of a plain file that are not UTF-8 are
replaced by U+FFFD and counted; a line of JSON that is not UTF-8 is rejected.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from protorel.corpora import Reject, a_text, found, json_of
from protorel.harvest.sources.compressed import tolerant
from protorel.harvest.sources.files import text_lines
from protorel.harvest.sources.tables import parquet_columns, parquet_rows
from protorel.harvest.sources.xml_pages import MAX_FIELD
from protorel.harvest.types import Document, Link, Tally
from protorel.statements import BadInput, StatementError

MAX_DOCUMENT = 5_000_000
"""The longest document, in characters, of JSON or Parquet."""
MAX_PART = 1_000_000
"""The longest part, in characters, of a plain file; no name is resolved by another part, so parts can be short."""
_PIECE = 1 << 20
_LONGEST_LINE = 32_000_000
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_COLUMNS = ("id", "title", "revision", "text", "links")
NOT_UTF8 = "byte that is not UTF-8: replaced"
TOO_LONG = "document longer than allowed: cut"


def read_plain(path: Path, tally: Tally, *, name: str | None = None) -> Iterator[Document]:
    """Yield a plain text file as one document, or as several if it is very long."""
    name = name or path.name
    number = 0
    for text in _parts(path, tally):
        if text.strip():
            number += 1
            tally.take()
            yield Document(name if number == 1 else f"{name}#{number}", None, None, text)
    if number == 0:
        tally.reject(Reject(path.name, None, "text", "is empty", ""))
    elif number > 1:
        tally.notice(TOO_LONG)


def read_json_documents(path: Path, tally: Tally) -> Iterator[Document]:
    """Yield the documents of a file with one JSON object per line."""
    for line in text_lines(path, tally, longest=_LONGEST_LINE):
        try:
            given = json_of(line)
            if not isinstance(given, dict):
                raise StatementError("line", f"expected an object with a text, got {found(given)}")
            document = document_of(given, f"{path.stem}:{line.number}")
        except StatementError as problem:
            tally.reject(Reject(path.name, line.number, problem.field, problem.reason, line.text), reason="no document")
        else:
            tally.take()
            yield document


def read_parquet_documents(path: Path, tally: Tally) -> Iterator[Document]:
    """Yield the documents of a Parquet file: a column `text` and, if present, the others by their names."""
    columns = [name for name in _COLUMNS if name in parquet_columns(path)]
    if "text" not in columns:
        raise BadInput(f"{path}: expected a column text, got the columns {', '.join(parquet_columns(path))}")
    for number, row in enumerate(parquet_rows(path, columns, rows_at_a_time=100), start=1):
        try:
            document = document_of(row, f"{path.stem}:{number}")
        except StatementError as problem:
            shown = str(row.get("text"))[:600]
            tally.reject(Reject(path.name, number, problem.field, problem.reason, shown), reason="no document")
        else:
            tally.take()
            yield document


def document_of(given: Mapping[str, Any], default_id: str) -> Document:
    """Return the document that an object or a row describes, or raise `StatementError`."""
    text = a_text(given.get("text"), "text")
    if not text.strip():
        raise StatementError("text", "is empty")
    if len(text) > MAX_DOCUMENT:
        raise StatementError("text", f"expected at most {MAX_DOCUMENT} characters, got {len(text)}")
    links = given.get("links")
    if not isinstance(links, list | None):
        raise StatementError("links", f"expected a list, got {found(links)}")
    return Document(
        id=_word(given, "id") or default_id,
        title=_word(given, "title"),
        revision=_word(given, "revision"),
        text=text,
        links=tuple(_link(link, f"links[{place}]", text) for place, link in enumerate(links or [])),
    )


def _word(given: Mapping[str, Any], field: str) -> str | None:
    value = given.get(field)
    if isinstance(value, str) and len(value) > MAX_FIELD:
        raise StatementError(field, f"expected at most {MAX_FIELD} characters, got {len(value)}")
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 64:
        return str(value)
    return a_text(value, field) or None if value is not None else None


def _link(given: object, field: str, text: str) -> Link:
    values = [given.get(name) for name in ("start", "stop", "target")] if isinstance(given, dict) else given
    match values:
        case [int(start), int(stop), str(target)] if target.strip():
            if not 0 <= start < stop <= len(text):
                raise StatementError(
                    field, f"expected a range within the text of {len(text)} characters, got [{start}, {stop})"
                )
            if len(target) > MAX_FIELD:
                raise StatementError(field, f"expected a target of at most {MAX_FIELD} characters, got {len(target)}")
            return Link(start, stop, a_text(target, field).strip())
    raise StatementError(field, f"expected start, stop and target, got {found(given)}")


def _parts(path: Path, tally: Tally) -> Iterator[str]:
    """Yield the text of a file in parts of at most `MAX_PART` characters; line ends stay as they are."""
    # A byte that is not UTF-8 becomes a lone surrogate, which no valid text holds, so it can be counted.
    decoder = codecs.getincrementaldecoder("utf-8")(errors="surrogateescape")
    waiting, is_first = "", True
    with tolerant(path, tally) as stream:
        while piece := stream.read(_PIECE):
            text = decoder.decode(piece.removeprefix(codecs.BOM_UTF8) if is_first else piece)
            waiting, is_first = waiting + _replaced(text, tally), False
            while len(waiting) > MAX_PART:
                cut = waiting.rfind("\n", 0, MAX_PART) + 1 or MAX_PART
                yield waiting[:cut]
                waiting = waiting[cut:]
    yield waiting + _replaced(decoder.decode(b"", final=True), tally)


def _replaced(text: str, tally: Tally) -> str:
    replaced, count = _ESCAPED_BYTE.subn("\N{REPLACEMENT CHARACTER}", text)
    tally.notice(NOT_UTF8, count)
    return replaced
