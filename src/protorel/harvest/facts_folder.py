"""Facts and names gathered from all sources into one folder that the engines read.

    facts.parquet        subject, relation, object: each once
    names.parquet        name, entity, kind (label, alias or title): each once
    kinds.parquet        entity, kind: what an entity is an instance of, where the sources say so
    properties.json      for each relation its label, description and aliases, where the sources say so
    facts.json           what was counted, and the format's version
    rejects.jsonl        the rows that could not be read, if there are any

Rows are sorted, and equal input gives equal bytes. DuckDB sorts them on disk, in the memory it is given.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.corpora import Reject
from protorel.harvest.delimited import parquet_rows
from protorel.harvest.named_json import is_id
from protorel.harvest.names import read_names
from protorel.harvest.opening import files_in, open_facts
from protorel.harvest.records import FactsRecord, PropertyRecord, read_record
from protorel.harvest.staging import Staging, TableSpec, sort_distinct
from protorel.harvest.tally import Tally
from protorel.harvest.types import Entity, Fact, Property
from protorel.harvest.wikidata import Record
from protorel.io import write_json, written_whole
from protorel.statements import BadInput

FORMAT_VERSION = 1
MAX_CELL = 1_000
"""The longest id or name, in characters, that is kept; no name of more than 100 is sought in a text."""
LONG_ID = f"id of more than {MAX_CELL} characters: left out"
LONG_NAME = f"name of more than {MAX_CELL} characters: left out"
TABLES = (
    TableSpec("facts", ("subject", "relation", "object")),
    TableSpec("names", ("name", "entity", "kind")),
    TableSpec("kinds", ("entity", "kind")),
)


@dataclass(frozen=True, slots=True)
class FactsFolder:
    """Where gathered facts lie, and what was counted on the way."""

    path: Path
    facts: int
    names: int
    relations: int
    tally: dict[str, Any]

    @classmethod
    def at(cls, path: Path) -> FactsFolder:
        """Open a folder that `gather_facts` wrote."""
        meta = read_record(path / "facts.json", dict[str, Any])
        version = meta.get("version")
        if version != FORMAT_VERSION:
            raise BadInput(f"{path}: holds facts of format version {version}, this protorel reads {FORMAT_VERSION}")
        record = read_record(path / "facts.json", FactsRecord)
        return cls(path, record.facts, record.names, record.relations, record.tally.model_dump())

    @property
    def facts_path(self) -> Path:
        """The facts, distinct and sorted."""
        return self.path / "facts.parquet"

    @property
    def names_path(self) -> Path:
        """The names, distinct and sorted."""
        return self.path / "names.parquet"

    @property
    def kinds_path(self) -> Path:
        """What entities are instances of."""
        return self.path / "kinds.parquet"

    def properties(self) -> dict[str, Property]:
        """Return the words of each relation that has any."""
        entries = read_record(self.path / "properties.json", dict[str, PropertyRecord])
        return {id: Property(id, entry.label, entry.description, tuple(entry.aliases)) for id, entry in entries.items()}


def gather_facts(
    sources: Sequence[Path],
    out: Path,
    *,
    aliases: Sequence[Path] = (),
    language: str = "en",
    columns: Sequence[str] | None = None,
    memory: str = "1GB",
) -> FactsFolder:
    """Read facts and names from all sources and write them to the folder `out`, whole or not at all.

    Where no source names any entity, the ids themselves are the names, unless they are ids of Wikidata.
    """
    _check_out(out)
    with written_whole(out) as beside:
        beside.mkdir()
        with (beside / "rejects.jsonl").open("w", encoding="utf-8") as rejects:

            def write_down(reject: Reject) -> None:
                rejects.write(reject.as_json() + "\n")

            tally = Tally(on_reject=write_down)
            staged = _stage(_records(sources, aliases, tally, language, columns), beside / "staged", tally)
        if not staged.counts["facts"]:
            raise BadInput(
                f"{', '.join(str(source) for source in sources)}: no fact is in there, one or more is wanted"
            )
        if not staged.counts["names"]:
            staged.paths["names"] = _names_by_ids(staged.paths["facts"], beside / "staged" / "ids")
        counts = {spec.name: sort_distinct(staged.paths[spec.name], beside, spec, memory=memory) for spec in TABLES}
        shutil.rmtree(beside / "staged")
        if not tally.rejected:
            (beside / "rejects.jsonl").unlink()
        write_json(beside / "properties.json", _as_json(staged.properties))
        meta = {"version": FORMAT_VERSION, "relations": len(staged.relations), **counts, "tally": tally.as_json()}
        write_json(beside / "facts.json", meta)
        # An older folder gives way only when the new one is whole.
        shutil.rmtree(out, ignore_errors=True)
    return FactsFolder.at(out)


def _records(
    sources: Sequence[Path], aliases: Sequence[Path], tally: Tally, language: str, columns: Sequence[str] | None
) -> Iterable[Record]:
    for source in sources:
        yield from open_facts(source, tally, language=language, columns=columns)
    for path in aliases:
        for file in files_in(path):
            yield from read_names(file, tally)


def _stage(records: Iterable[Record], folder: Path, tally: Tally) -> Staging:
    """Write the rows down as they come, in batches, and keep in memory only what is few: the relations."""
    with Staging(folder, TABLES) as staging:
        for record in records:
            match record:
                case Fact() if max(len(record.subject), len(record.relation), len(record.object)) > MAX_CELL:
                    tally.notice(LONG_ID)
                case Fact():
                    staging.relations.add(record.relation)
                    staging.add("facts", (record.subject, record.relation, record.object))
                case Entity():
                    _stage_entity(staging, record, tally)
                case Property():
                    staging.add_property(record)
    return staging


def _stage_entity(staging: Staging, entity: Entity, tally: Tally) -> None:
    if len(entity.id) > MAX_CELL:
        tally.notice(LONG_ID)
        return
    names = [(entity.label, "label"), (entity.title, "title"), *((alias, "alias") for alias in entity.aliases)]
    for name, kind in names:
        if name and len(name) > MAX_CELL:
            tally.notice(LONG_NAME)
        elif name:
            staging.add("names", (name, entity.id, kind))
    for kind in entity.kinds:
        if len(kind) > MAX_CELL:
            tally.notice(LONG_ID)
        else:
            staging.add("kinds", (entity.id, kind))


def _names_by_ids(facts: Path, folder: Path) -> Path:
    """Name each entity by its id, as somebody does who writes facts by hand; an id such as Q42 is no name."""
    with Staging(folder, TABLES) as staging:
        for row in parquet_rows(facts, ("subject", "object")):
            for id in (row["subject"], row["object"]):
                if not is_id(id, "Q"):
                    staging.add("names", (id, id, "label"))
    if not staging.counts["names"]:
        raise BadInput(
            "the facts name entities by ids such as Q42 and no source says what they are called: aliases are wanted"
        )
    return staging.paths["names"]


def _check_out(out: Path) -> None:
    if out.is_file():
        raise BadInput(f"{out}: is a file, a folder is wanted")
    if out.exists() and any(out.iterdir()) and not (out / "facts.json").exists():
        raise BadInput(f"{out}: holds something else than gathered facts, another folder is wanted")


def _as_json(properties: dict[str, Property]) -> dict[str, Any]:
    return {
        id: {"label": words.label, "description": words.description, "aliases": list(words.aliases)}
        for id, words in sorted(properties.items())
    }
