"""Facts and names of all sources, collected in one folder that the engines read.

    facts.parquet        subject, relation, object: each once
    names.parquet        name, entity, kind (label, alias or title): each once
    kinds.parquet        entity, kind: what an entity is an instance of, if known
    properties.json      label, description and aliases of each relation, if known
    facts.json           counts, and the format version
    rejects.jsonl        rows that could not be read, if any

Rows are sorted, and equal input gives equal bytes. DuckDB sorts on disk, within a memory limit.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.corpora import Reject
from protorel.harvest.engines.staging import Staging, TableSpec, sort_distinct
from protorel.harvest.records import FactsRecord, PropertyRecord, read_record
from protorel.harvest.sources.alias_files import is_id, read_names
from protorel.harvest.sources.facts import open_facts
from protorel.harvest.sources.files import files_in
from protorel.harvest.sources.tables import parquet_rows
from protorel.harvest.sources.wikidata import Record
from protorel.harvest.types import Entity, Fact, Property, Tally
from protorel.io import write_json, written_whole
from protorel.statements import BadInput

FORMAT_VERSION = 1
MAX_CELL = 1_000
"""The longest id or name, in characters, that is kept; text is never searched for names of more than 100."""
LONG_ID = f"id of more than {MAX_CELL} characters: left out"
LONG_NAME = f"name of more than {MAX_CELL} characters: left out"
TABLES = (
    TableSpec("facts", ("subject", "relation", "object")),
    TableSpec("names", ("name", "entity", "kind")),
    TableSpec("kinds", ("entity", "kind")),
)


@dataclass(frozen=True, slots=True)
class FactsFolder:
    """A folder of collected facts, and its counts."""

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
            raise BadInput(f"{path}: expected facts of format version {FORMAT_VERSION}, got {version}")
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
    memory: str = "1GB",
) -> FactsFolder:
    """Read facts and names from all sources and write them to the folder `out`, atomically.

    If no source names any entity, the ids are the names, unless they are Wikidata ids.
    """
    _check_out(out)
    with written_whole(out) as partial:
        partial.mkdir()
        with (partial / "rejects.jsonl").open("w", encoding="utf-8") as rejects:

            def write_reject(reject: Reject) -> None:
                rejects.write(reject.as_json() + "\n")

            tally = Tally(on_reject=write_reject)
            staged = _stage(_records(sources, aliases, tally, language), partial / "staged", tally)
        if not staged.counts["facts"]:
            raise BadInput(f"{', '.join(map(str, sources))}: expected at least one fact, got none")
        if not staged.counts["names"]:
            staged.paths["names"] = _names_by_ids(staged.paths["facts"], partial / "staged" / "ids")
        counts = {spec.name: sort_distinct(staged.paths[spec.name], partial, spec, memory=memory) for spec in TABLES}
        shutil.rmtree(partial / "staged")
        if not tally.rejected:
            (partial / "rejects.jsonl").unlink()
        write_json(partial / "properties.json", _as_json(staged.properties))
        meta = {"version": FORMAT_VERSION, "relations": len(staged.relations), **counts, "tally": tally.as_json()}
        write_json(partial / "facts.json", meta)
        # An older folder is removed only when the new one is complete.
        shutil.rmtree(out, ignore_errors=True)
    return FactsFolder.at(out)


def _records(sources: Sequence[Path], aliases: Sequence[Path], tally: Tally, language: str) -> Iterable[Record]:
    for source in sources:
        yield from open_facts(source, tally, language=language)
    for path in aliases:
        for file in files_in(path):
            yield from read_names(file, tally)


def _stage(records: Iterable[Record], folder: Path, tally: Tally) -> Staging:
    """Write the rows in batches as they come; only the relations stay in memory."""
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
    """Name each entity by its id, as in facts written by hand; an id such as Q42 is not a name."""
    with Staging(folder, TABLES) as staging:
        for row in parquet_rows(facts, ("subject", "object")):
            for id in (row["subject"], row["object"]):
                if not is_id(id, "Q"):
                    staging.add("names", (id, id, "label"))
    if not staging.counts["names"]:
        raise BadInput("expected names for entity ids such as Q42, got none. Give a file of names with --aliases")
    return staging.paths["names"]


def _check_out(out: Path) -> None:
    if out.is_file():
        raise BadInput(f"{out}: expected a folder, got a file")
    if out.exists() and any(out.iterdir()) and not (out / "facts.json").exists():
        raise BadInput(f"{out}: expected an empty folder or collected facts, got other files; choose another folder")


def _as_json(properties: dict[str, Property]) -> dict[str, Any]:
    return {
        id: {"label": words.label, "description": words.description, "aliases": list(words.aliases)}
        for id, words in sorted(properties.items())
    }
