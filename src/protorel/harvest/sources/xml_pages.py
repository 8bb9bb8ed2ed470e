"""Pages of a MediaWiki XML dump, one at a time: the file, and a page in it, may be larger than memory.

Of a page only what is used later is kept; the rest is counted. What no dump has is refused before it costs memory:
declared entities, deep nesting, endless element names, a tag or comment of many megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, cast
from xml.parsers.expat import ExpatError, ParserCreate

from protorel.corpora import Reject
from protorel.harvest.sources.compressed import CUT_SHORT, TolerantStream, tolerant
from protorel.harvest.types import Tally
from protorel.harvest.wikitext.plain_text import MAX_WIKITEXT
from protorel.statements import BadInput

MALFORMED = "XML not as MediaWiki writes it: read up to there"
MAX_FIELD = 1_000
"""The longest title, id or name, in characters; MediaWiki itself allows 255 bytes for a title."""
_PIECE = 1 << 18
_MAX_DEPTH = 50
_MAX_NAMES = 1_000
_MAX_TAG = 16 << 20
_FIELDS = {
    "siteinfo/sitename": MAX_FIELD,
    "siteinfo/namespaces/namespace": MAX_FIELD,
    "page/title": MAX_FIELD,
    "page/ns": MAX_FIELD,
    "page/id": MAX_FIELD,
    "page/revision/id": MAX_FIELD,
    "page/revision/model": MAX_FIELD,
    "page/revision/text": MAX_WIKITEXT + 1,  # one more, so that a reader sees that it must cut
}
"""Elements that are read, by path below the root, and how many characters of each are kept."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the dump, in its last revision."""

    id: str
    title: str
    namespace: int
    redirect: str | None
    revision: str | None
    model: str | None
    text: str | None
    """Only its beginning if it is longer than `MAX_WIKITEXT`."""
    excess: int = 0
    """How many characters of the text were not kept."""


@dataclass(frozen=True, slots=True)
class Site:
    """What a dump says about its wiki before the first page."""

    name: str | None
    namespaces: Mapping[str, int]


def xml_pages(path: Path, tally: Tally) -> Iterator[Site | Page]:
    """Yield the dump's site information, then its pages; XML that breaks off is counted and ends the dump."""
    dump = _Dump(path)
    with tolerant(path, tally) as stream:
        try:
            while piece := stream.read1(_PIECE):
                dump.feed(piece)
                yield from dump.taken()
            dump.feed(b"")
        except ExpatError as problem:
            yield from dump.taken()
            if not cast(TolerantStream, stream.raw).ended_early:
                _notice(tally, CUT_SHORT, path, f"its XML breaks off ({problem})")
        except _MalformedError as problem:
            yield from dump.taken()
            _notice(tally, MALFORMED, path, str(problem))
        else:
            yield from dump.taken()


def is_xml(start: bytes) -> bool:
    """Return whether a file with these first bytes is XML or HTML."""
    return start.lstrip()[:10].lower().startswith((b"<mediawiki", b"<?xml", b"<!doctype", b"<html"))


class _MalformedError(Exception):
    """The XML is well formed so far, but it is not a dump."""


class _Dump:
    """Collects pages from the parser's events; between two pages it holds only the site information."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ready: list[Site | Page] = []
        self._open: list[str] = []
        self._names: set[str] = set()
        self._site: str | None = None
        self._namespaces: dict[str, int] = {}
        self._fields: dict[str, str] = {}
        self._key = ""
        self._redirect: str | None = None
        self._field: str | None = None
        self._kept: list[str] = []
        self._room = self._excess = self._silent = 0
        parser = ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._text
        parser.CommentHandler = parser.ProcessingInstructionHandler = self._passed
        parser.EntityDeclHandler = self._declared
        self._parser = parser

    def feed(self, piece: bytes) -> None:
        """Parse the next piece; an empty one is the end."""
        self._silent += len(piece)
        self._parser.Parse(piece, not piece)
        if self._silent > _MAX_TAG:
            raise _MalformedError(f"a tag or comment has more than {_MAX_TAG} bytes")

    def taken(self) -> list[Site | Page]:
        """Return and forget what is complete."""
        ready, self._ready = self._ready, []
        return ready

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._silent = 0
        name = tag.rpartition(":")[2]
        self._open.append(name)
        self._names.update((tag, *attributes))
        if len(self._open) > _MAX_DEPTH or len(self._names) > _MAX_NAMES:
            raise _MalformedError(f"its elements are nested deeper than {_MAX_DEPTH}, or have too many names")
        if len(self._open) == 1 and name != "mediawiki":
            raise BadInput(f"{self._path}: expected XML that begins with <mediawiki>, got <{name[:40]}>")
        if len(self._open) == 2 and name not in ("siteinfo", "page", "logitem"):
            raise _MalformedError(f"expected <page>, got <{name[:40]}>")
        place = "/".join(self._open[1:])
        if place == "page":
            self._fields, self._redirect = {}, None
        elif place == "page/revision":
            self._fields = {field: text for field, text in self._fields.items() if not field.startswith(f"{place}/")}
            self._excess = 0
        elif place == "page/redirect":
            self._redirect = attributes.get("title", "")[:MAX_FIELD] or None
        elif place == "siteinfo/namespaces/namespace":
            self._key = attributes.get("key", "")
        self._begin_field(place if place in _FIELDS else None)

    def _end(self, _: str) -> None:
        self._silent = 0
        place = "/".join(self._open[1:])
        self._open.pop()
        if place == self._field:
            self._end_field("".join(self._kept))
        elif place == "page":
            self._ready.append(self._page())
            self._fields = {}
        elif place == "siteinfo":
            self._ready.append(Site(self._site, self._namespaces))

    def _text(self, text: str) -> None:
        self._silent = 0
        if self._field is not None:
            self._kept.append(text[: self._room])
            over = len(text) - self._room
            self._room = max(0, -over)
            if over > 0 and self._field != "page/revision/text":
                raise _MalformedError(f"{self._field} has more than {MAX_FIELD} characters")
            self._excess += max(0, over)

    def _begin_field(self, place: str | None) -> None:
        self._field, self._kept = place, []
        self._room = _FIELDS[place] if place else 0

    def _end_field(self, text: str) -> None:
        match self._field:
            case "siteinfo/sitename":
                self._site = text
            case "siteinfo/namespaces/namespace":
                if len(self._namespaces) >= _MAX_NAMES:
                    raise _MalformedError(f"the wiki has more than {_MAX_NAMES} namespaces")
                self._namespaces[text] = _number(self._key, "the key of a namespace")
            case str(field):
                self._fields[field] = text
        self._begin_field(None)

    def _page(self) -> Page:
        get = self._fields.get
        title = get("page/title")
        if not title:
            raise _MalformedError("a page has no title")
        namespace = get("page/ns")
        if namespace is None:
            prefix, colon, rest = title.partition(":")
            known = colon and not rest.startswith(" ") and prefix in self._namespaces
            number, title = (self._namespaces[prefix], rest) if known else (0, title)
        else:
            number = _number(namespace, "the namespace of a page")
        return Page(
            id=str(_number(get("page/id"), "the id of a page")),
            title=title.replace("_", " "),
            namespace=number,
            redirect=self._redirect,
            revision=get("page/revision/id") and str(_number(get("page/revision/id"), "the id of a revision")),
            model=get("page/revision/model"),
            text=get("page/revision/text") or None,
            excess=self._excess,
        )

    def _passed(self, *_: object) -> None:
        self._silent = 0

    def _declared(self, name: str, *_: object) -> NoReturn:
        raise _MalformedError(f"it declares the entity {name[:40]}, which no dump does")


def _number(text: str | None, what: str) -> int:
    try:
        return int(text or "")
    except ValueError:
        raise _MalformedError(f"{what}: expected a number, got {(text or '')[:40]!r}") from None


def _notice(tally: Tally, reason: str, path: Path, what: str) -> None:
    tally.notice(reason, example=Reject(path.name, None, "file", what[:200], ""))
