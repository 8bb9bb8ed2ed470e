"""Texts to extract from: strings, mappings with `text`, `document` and `entities`, or files of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from protorel.extraction.mention_spans import as_mentions, refuse_tokens
from protorel.extraction.triples import Mention
from protorel.io import BadInput, kind, open_source, parse_json, read_text, shown

_MOST_LINE = 2**28
TEXT_SUFFIXES = (".txt", ".text", ".md")
LINES_SUFFIXES = (".jsonl", ".ndjson")
_OTHER_SUFFIXES = (".json", ".csv", ".tsv", ".parquet", ".xml", ".html", ".htm", ".pdf", ".docx", ".gz", ".yaml")
_FIELDS = ("text", "document", "entities")


@dataclass(frozen=True, slots=True)
class InputText:
    """One text, the name of its document, and its entities where they are known."""

    text: str
    document: str = ""
    entities: tuple[Mention, ...] | None = None
    """None: the entity source finds them."""

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise BadInput(f"text: expected text, got {shown(self.text)}")
        if not isinstance(self.document, str):
            raise BadInput(f"document: expected text, got {shown(self.document)}")
        try:
            self.text.encode()
        except UnicodeEncodeError as problem:
            half = ord(problem.object[problem.start])
            raise BadInput(
                f"text: holds half a character (U+{half:04X}) at {problem.start}, which cannot be written"
            ) from None

    @classmethod
    def of(cls, given: object, document: str = "") -> InputText:
        """Return a text from a string or from a mapping with `text`, and optionally `document` and `entities`.

        Raises:
            BadInput: it is neither, or a field of it cannot be used.
        """
        if isinstance(given, InputText):
            return given
        if isinstance(given, str):
            return cls(given, document)
        if not isinstance(given, Mapping):
            raise BadInput(f"expected a text or a mapping with text, got {kind(given)}")
        if "text" not in given:
            raise BadInput(f"text: is missing; expected {', '.join(_FIELDS)}, got {shown(sorted(map(str, given)))}")
        name = given.get("document")
        made = cls(given["text"], document if name is None else name)
        spans = given.get("entities")
        if spans is None:
            return made
        if isinstance(spans, Iterator):
            spans = list(spans)
        mentions = as_mentions(spans, made.text)
        if not any(isinstance(one, Mention) or (isinstance(one, Mapping) and one.get("text")) for one in spans):
            refuse_tokens(mentions, made.text)
        return cls(made.text, made.document, tuple(mentions))


@dataclass(frozen=True, slots=True)
class BadText:
    """A text of a file that could not be read, and why."""

    document: str
    problem: str


def looks_like_path(argument: str) -> bool:
    """Tell whether an argument is meant as a file: it has a file's suffix, or a separator and no space.

    >>> looks_like_path("notes/a"), looks_like_path("a.txt"), looks_like_path("Ada met Bo and/or Cy.")
    (True, True, False)
    """
    if "\n" in argument:
        return False
    known = (*TEXT_SUFFIXES, *LINES_SUFFIXES, *_OTHER_SUFFIXES)
    return argument.lower().endswith(known) or ("/" in argument and " " not in argument)


def is_stream(argument: str) -> bool:
    """Tell whether an argument is a file of several texts."""
    return looks_like_path(argument) and Path(argument).suffix.lower() in LINES_SUFFIXES


def check_texts(argument: str) -> None:
    """Refuse an argument that looks like a file and cannot be read as one, before any work.

    Raises:
        BadInput: there is no such file, or it is of another kind.
    """
    if argument == "-" or not looks_like_path(argument):
        if not argument.strip():
            raise BadInput("expected a text, a file or -, got an empty argument")
        return
    path = Path(argument)
    with open_source(path):
        pass
    if path.suffix.lower() in _OTHER_SUFFIXES:
        raise BadInput(f"{path}: expected a .txt file (one text) or a .jsonl file (one per line), got {path.suffix}")


def read_texts(argument: str) -> Iterator[InputText | BadText]:
    """Yield the texts of a command's argument: of a file, of standard input (`-`), or the argument itself.

    Raises:
        BadInput: the file cannot be read, or is not text.
    """
    if argument == "-":
        yield InputText(_decoded(sys.stdin.buffer.read(), "standard input"))
    elif not looks_like_path(argument):
        yield InputText(argument)
    elif is_stream(argument):
        with open_source(Path(argument)) as stream:
            yield from _lines(stream, Path(argument))
    else:
        yield InputText(read_text(Path(argument)), Path(argument).name)


def _lines(stream: BinaryIO, path: Path) -> Iterator[InputText | BadText]:
    """Yield one text per line, read as they are used."""
    number = used = 0
    while line := stream.readline(_MOST_LINE):
        number += 1
        name = f"{path.name}:{number}"
        if line.strip():
            used += 1
            try:
                yield InputText.of(_parsed(line), name)
            except ValueError as problem:
                yield BadText(name, f"{path}, line {number}: {problem}")
    if not used:
        raise BadInput(f"{path}: expected one text per line, got an empty file")


def _parsed(line: bytes) -> Any:
    if len(line) >= _MOST_LINE:
        raise BadInput(f"expected at most {_MOST_LINE:,} bytes per line, got more")
    value = parse_json(_decoded(line.removeprefix(b"\xef\xbb\xbf"), "").strip())
    if not isinstance(value, str | dict):
        raise BadInput(f"expected an object with text, got {kind(value)}")
    return value


def _decoded(raw: bytes, where: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise BadInput(f"{where + ': ' if where else ''}cannot be read as text ({problem})") from problem


def numbered(texts: Iterable[object]) -> Iterator[InputText | BadText]:
    """Yield texts from whatever is given; one that cannot be used is named by its number."""
    if isinstance(texts, str | bytes | Mapping):
        raise BadInput("expected several texts, got one. Call the extractor itself on one text")
    for number, given in enumerate(texts):
        if isinstance(given, InputText | BadText):
            yield given
            continue
        try:
            yield InputText.of(given)
        except BadInput as problem:
            named = given.get("document") if isinstance(given, Mapping) else None
            name = named if isinstance(named, str) else ""
            yield BadText(name, f"{name or f'text {number}'}: {problem}")
