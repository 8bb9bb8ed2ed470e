"""A harvest from sources to statements: facts, names, mentions, alignment; each finished stage is kept.

    DIR/statements/*.parquet   the statements
    DIR/relations.json         names and descriptions of the relations, if the facts have them
    DIR/manifest.json          sources, parameters, counts, seconds
    DIR/*.rejects.jsonl        rows of the sources that could not be read, if any
    DIR/work/                  intermediate files, until the harvest is done

A harvest that was stopped at any moment is resumed by the same command and ends with the same bytes.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from protorel.corpora import Reject
from protorel.harvest.engines.alignment import Engine
from protorel.harvest.engines.shards import Shard, ShardTask, WorkPlaces
from protorel.harvest.facts_folder import FactsFolder, gather_facts
from protorel.harvest.gazetteer.build import build_gazetteer
from protorel.harvest.gazetteer.gazetteer import Gazetteer
from protorel.harvest.libraries import memory_bound
from protorel.harvest.manifest import LOCK, Manifest, StageSeconds, begun, check_place, reasons_in_brackets
from protorel.harvest.records import FactsRecord, PropertyRecord, readable
from protorel.harvest.settings import HarvestSettings, HarvestSources
from protorel.harvest.sources.text import portions, raw_documents, redirect_table
from protorel.harvest.types import Tally
from protorel.io import (
    as_path,
    check_type,
    claimed,
    disk_errors,
    holder,
    made_folder,
    short_value,
    write_json,
    written_whole,
)
from protorel.statements import BadInput, Interrupted, WorkFailed

_Words = dict[str, PropertyRecord]
Watch = Callable[[str, int], None]
"""Called with the current stage and the number of finished shards."""


def harvest_statements(
    sources: HarvestSources,
    out: Path | str,
    *,
    engine: Engine,
    settings: HarvestSettings = HarvestSettings(),  # noqa: B008 (it is frozen)
    memory: str = "1GB",
    watch: Watch = lambda _, __: None,
) -> dict[str, Any]:
    """Align facts with text and write the statements to a folder, or resume a harvest that was stopped.

    Args:
        sources: Files or folders with facts, text and, optionally, aliases.
        out: The output folder. A finished harvest of the same sources and settings is not repeated.
        engine: `DuckDBEngine()` for this machine, `SparkEngine(master)` for a cluster.
        settings: Language, shard size, and the rules for mentions and alignment.
        memory: Memory limit for sorting facts, such as `1GB`; the engine has its own.
        watch: Called with the current stage and the number of finished shards.

    Returns:
        The content of `manifest.json`: sources, parameters, counts and seconds per stage.

    Raises:
        BadInput: a source cannot be read, no sentence gives a statement, or `out` holds something else.
        WorkFailed: a worker process died twice on the same shard; the rest is written.
        Interrupted: Ctrl-C was pressed; the same call resumes the harvest.

    >>> from protorel import DuckDBEngine
    >>> _ = Path("facts.tsv").write_text("Ada Kroll\\tborn_in\\tLunsk")
    >>> _ = Path("text.txt").write_text("Ada Kroll was born in Lunsk.")
    >>> manifest = harvest_statements(HarvestSources("facts.tsv", "text.txt"), "harvested", engine=DuckDBEngine())
    >>> manifest["relations"]
    {'born_in': 1}
    """
    out = as_path(out, where="out")
    check_type(sources, HarvestSources, where="sources", expected="HarvestSources")
    check_type(settings, HarvestSettings, where="settings", expected="HarvestSettings")
    if not callable(getattr(engine, "align", None)):
        raise BadInput(f"engine: expected DuckDBEngine() or SparkEngine(), got {short_value(engine)}")
    memory = memory_bound(memory)
    check_place(out)
    asked = {"sources": sources.described(), "parameters": settings.as_json()}
    with made_folder(out), claimed(out / LOCK) as mine:
        if not mine:
            who = holder(out / LOCK)
            raise BadInput(f"{out}: {who} is harvesting here; wait until it has ended, or choose another --out")
        if finished := begun(out, asked):
            shutil.rmtree(out / "work", ignore_errors=True)
            return finished
        return _made(_Harvest(sources, out, engine, settings, watch), asked, memory)


def _made(work: _Harvest, asked: dict[str, Any], memory: str) -> dict[str, Any]:
    """Do the work and return the manifest, or report the shards that are missing."""
    out = work.out
    try:
        with disk_errors(out):
            manifest = work.make(asked, memory)
    except KeyboardInterrupt:
        raise Interrupted(f"stopped; finished work is kept in {out}, and the same command resumes it") from None
    if lost := manifest["counts"]["shards"]["lost"]:
        raise WorkFailed(
            f"{out}: the documents of shard {', '.join(map(str, lost))} are missing: two processes died on them. "
            "The rest is written; the same command tries them again"
        )
    shutil.rmtree(out / "work")
    return manifest


class _Harvest:
    """The stages of a harvest; a finished stage is not repeated."""

    def __init__(
        self, sources: HarvestSources, out: Path, engine: Engine, settings: HarvestSettings, watch: Watch
    ) -> None:
        self.sources, self.out, self.engine, self.settings, self.watch = sources, out, engine, settings, watch
        self.work = out / "work"
        self.seconds = StageSeconds(self.work / "seconds.json")

    def make(self, asked: dict[str, Any], memory: str) -> dict[str, Any]:
        """Run the stages that are not finished and write the manifest."""
        with self.seconds.of("facts"):
            facts = self.facts(memory)
        with self.seconds.of("names"):
            gazetteer = self.names(facts)
        with self.seconds.of("mentions"):
            text, shards = self.mentions()
        done = [shard for shard in shards if shard.is_done]
        with self.seconds.of("alignment"):
            self.watch("aligning", len(done))
            statements = self.out / "statements"
            shutil.rmtree(statements, ignore_errors=True)
            rule = self.settings.alignment
            found = self.engine.align(done, facts.facts_path, work=self.work, out=statements, rule=rule)
        manifest = Manifest(asked, facts, gazetteer.counts, text, shards, found)
        if not found.statements:
            raise BadInput(manifest.why_nothing())
        publish_words(facts, found.per_relation, self.out / "relations.json")
        publish_rejects([facts.path / "rejects.jsonl"], self.out / "facts.rejects.jsonl")
        parts = [self.work / "text.rejects.jsonl", *(shard.rejects for shard in done)]
        publish_rejects(parts, self.out / "text.rejects.jsonl")
        return manifest.write(self.out, seconds=self.seconds.taken, engine=self.engine.name)

    def facts(self, memory: str) -> FactsFolder:
        """Collect facts and names in one folder."""
        self.watch("gathering facts", 0)
        folder = self.work / "facts"
        records = (readable(folder / "facts.json", FactsRecord), readable(folder / "properties.json", _Words))
        if None not in records:
            return FactsFolder.at(folder)
        # A folder whose records were altered still exists.
        shutil.rmtree(folder, ignore_errors=True)
        aliases, language = self.sources.aliases, self.settings.language
        return gather_facts(self.sources.facts, folder, aliases=aliases, language=language, memory=memory)

    def names(self, facts: FactsFolder) -> Gazetteer:
        """Build the gazetteer, or load the finished one."""
        self.watch("building the gazetteer", 0)
        folder = self.work / "gazetteer"
        if folder.exists():
            with suppress(BadInput):
                return Gazetteer.load(folder)
            shutil.rmtree(folder)
        return build_gazetteer(facts.names_path, folder, entities=facts.kinds_path)

    def mentions(self) -> tuple[Tally, list[Shard]]:
        """Cut the text into shards and do the unfinished ones; return the tally of reading, and all shards."""
        redirects = redirect_table(self.sources.text, self.work / "redirects.sqlite")
        places = WorkPlaces(self.work / "gazetteer", self.work / "shards", redirects)
        shards: list[Shard] = []
        with (self.work / "text.rejects.jsonl").open("w", encoding="utf-8") as stream:

            def write_reject(reject: Reject) -> None:
                stream.write(reject.as_json() + "\n")

            tally = Tally(on_reject=write_reject)
            for done, _ in enumerate(self.engine.find(self._tasks(places, tally, shards)), start=1):
                self.watch("finding mentions", done)
        if not shards:
            paths = ", ".join(str(path) for path in self.sources.text)
            raise BadInput(
                f"{paths}: no article could be read: {tally.rows} pages{reasons_in_brackets(tally.as_json())}"
            )
        return tally, shards

    def _tasks(self, places: WorkPlaces, tally: Tally, shards: list[Shard]) -> Iterator[ShardTask]:
        """Yield the unfinished shards; append every shard to the list."""
        most, characters = self.settings.documents_per_shard, self.settings.characters_per_shard
        for portion in portions(raw_documents(self.sources.text, tally), most=most, characters=characters):
            task = ShardTask(len(shards), portion, places, self.settings.mentions)
            shards.append(task.shard)
            if not task.shard.is_done:
                yield task


def publish_words(facts: FactsFolder, relations: Iterable[str], path: Path) -> None:
    """Write the names and descriptions of relations, if there are any, as `--descriptions` reads them."""
    words = facts.properties()
    known = [(id, words[id]) for id in sorted(relations) if id in words and words[id].label]
    if known:
        write_json(path, {id: {"name": one.label, "description": one.description or ""} for id, one in known})


def publish_rejects(parts: Sequence[Path], path: Path) -> None:
    """Join files of rejects atomically; without rejects there is no file."""
    full = [part for part in parts if part.exists() and part.stat().st_size]
    path.unlink(missing_ok=True)
    if full:
        with written_whole(path) as partial, partial.open("wb") as stream:
            for part in full:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, stream)
