"""Wikidata JSON dumps: one entity a line, with or without the brackets and commas of an array, streamed.

Of each item: its label, aliases, page title and entity-valued statements; of each property its words. Statements of
deprecated rank are left out, those of preferred and normal rank kept alike; unknown and absent values are no facts, nor
are values that are not items. Dumps of before 2016 give values by `numeric-id` alone, and some tools write an empty
object as `[]`: both are read. A file that is one entity, or one array without line ends, is read whole if it is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protorel.corpora import Reject, found
from protorel.harvest.dump_stream import CUT_SHORT, SKIPPED_BYTES, first_bytes, raw_lines, tolerant
from protorel.harvest.entity_json import entity_of, id_of
from protorel.harvest.libraries import library
from protorel.harvest.tally import Tally
from protorel.harvest.types import Entity, Fact, Property
from protorel.statements import BadInput, StatementError

Record = Fact | Entity | Property
"""What a source of facts gives."""

MAX_ENTITY = 32_000_000
"""The longest entity, in bytes, that is read; Wikidata has some of a few million. In memory it may be 30 times that."""


def read_wikidata(path: Path, tally: Tally, *, language: str = "en") -> Iterator[Record]:
    """Yield the entities of a dump, each followed by its facts; rows of the tally are entities."""
    if _goes_by_lines(first_bytes(path)):
        yield from _read_lines(path, tally, language)
    else:
        yield from _read_whole(path, tally, language)


def _read_lines(path: Path, tally: Tally, language: str) -> Iterator[Record]:
    loads = library("orjson").loads
    array, known_cuts = _Array(), tally.noticed[CUT_SHORT]
    broken: Reject | None = None
    with tolerant(path, tally) as stream:
        for number, raw, length in raw_lines(stream, longest=MAX_ENTITY):
            line = array.without_marks(raw.strip())
            if not line:
                continue
            # Whether a broken line is the last one, and so a cut tail, is known only when the next one comes.
            if broken is not None:
                tally.reject(broken, reason="line is not JSON")
                broken = None
            try:
                if length > MAX_ENTITY:
                    tally.notice(SKIPPED_BYTES, length)
                    raise ValueError(f"longer than {MAX_ENTITY} bytes: it has {length}")
                entities = loads(b"[%b]" % line)
            except ValueError as problem:
                shown = line[:600].decode("utf-8", "replace")
                broken = Reject(path.name, number, "line", f"is not whole JSON ({problem})", shown)
                continue
            for entity in entities:
                yield from _records(entity, language, tally, (path.name, number))
    if broken is not None:
        tally.reject(broken, reason="last line is not whole")
    if (broken is not None or array.is_open) and tally.noticed[CUT_SHORT] == known_cuts:
        tally.notice(CUT_SHORT, example=Reject(path.name, None, "file", "the array of entities is not closed", ""))


class _Array:
    """The brackets and commas around the entities of an array, which a dump of lines does not have."""

    def __init__(self) -> None:
        self.is_open = False
        self._begun = False

    def without_marks(self, line: bytes) -> bytes:
        if not self._begun and line:
            self._begun = True
            self.is_open = line.startswith(b"[")
            line = line[1:].lstrip() if self.is_open else line
        if self.is_open and line.endswith(b"]"):
            self.is_open = False
            line = line[:-1].rstrip()
        return line.removesuffix(b",")


def _read_whole(path: Path, tally: Tally, language: str) -> Iterator[Record]:
    """Read one entity, an array or the answer `{"entities": {...}}` of the web service, in any layout."""
    with tolerant(path, tally) as stream:
        content = stream.read(MAX_ENTITY + 1)
    if len(content) > MAX_ENTITY:
        raise BadInput(f"{path}: no entity stands on its first line; a Wikidata dump has one on each line")
    try:
        given = library("orjson").loads(content)
    except ValueError as problem:
        raise BadInput(f"{path}: is no Wikidata JSON ({problem}); a dump with one entity a line is wanted") from None
    if isinstance(given, dict) and isinstance(given.get("entities"), dict):
        given = list(given["entities"].values())
    for place, entity in enumerate(given if isinstance(given, list) else [given]):
        yield from _records(entity, language, tally, (f"{path.name}[{place}]", None))


def _records(given: Any, language: str, tally: Tally, place: tuple[str, int | None]) -> Iterator[Record]:
    try:
        if not isinstance(given, dict):
            raise StatementError("line", f"is {found(given)}, an entity is wanted")
        kind = given.get("type")
        if kind not in ("item", "property"):
            if isinstance(kind, str) and kind.isalpha() and id_of(given):
                return tally.leave(f"type {kind[:40]}")
            raise StatementError("type", f"is {found(kind)}, item or property is wanted")
        records = entity_of(given, language, tally)
    except StatementError as problem:
        return tally.reject(Reject(*place, problem.field, problem.reason, str(given)[:600]), reason="no entity")
    tally.take()
    yield from records


def _goes_by_lines(start: bytes) -> bool:
    """Tell whether an entity begins and ends on the first line that holds one, as far as the beginning shows."""
    first, end, _ = start.lstrip(b"[ \t\r\n").partition(b"\n")
    entity = first.strip()
    return not end or entity.endswith((b"}", b"},", b"}]"))
