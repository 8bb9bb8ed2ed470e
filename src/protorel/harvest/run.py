"""A harvest from sources to statements: facts, names, mentions, alignment; each step is kept when it is done.

    DIR/statements/*.parquet   the statements
    DIR/relations.json         what the relations are called, where the facts say so
    DIR/manifest.json          sources, parameters, counts, seconds
    DIR/*.rejects.jsonl        rows of the sources that could not be read, where there are any
    DIR/work/                  what lies between, until the harvest is done

A harvest that was stopped, at whatever moment, goes on by the same command and ends with the same bytes.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from protorel.corpora import Reject
from protorel.harvest.engine import Engine
from protorel.harvest.facts_folder import FactsFolder, gather_facts
from protorel.harvest.gazetteer import Gazetteer
from protorel.harvest.gazetteer_build import build_gazetteer
from protorel.harvest.libraries import memory_bound
from protorel.harvest.manifest import LOCK, Manifest, StageSeconds, begun, check_place, what_was_found
from protorel.harvest.published import publish_rejects, publish_words
from protorel.harvest.records import FactsRecord, PropertyRecord, readable
from protorel.harvest.settings import HarvestSettings, HarvestSources
from protorel.harvest.shard_work import ShardTask, WorkPlaces
from protorel.harvest.shards import Shard
from protorel.harvest.tally import Tally
from protorel.harvest.text_stream import portions, redirect_table, unread
from protorel.io import claimed, disk_errors, holder, made_folder
from protorel.statements import BadInput, Interrupted, WorkFailed

_Words = dict[str, PropertyRecord]
Watch = Callable[[str, int], None]
"""Told what is being done, and how many shards are done."""


def harvest(
    sources: HarvestSources,
    out: Path,
    *,
    engine: Engine,
    settings: HarvestSettings = HarvestSettings(),  # noqa: B008 (it is frozen)
    memory: str = "1GB",
    watch: Watch = lambda _, __: None,
) -> dict[str, Any]:
    """Make statements of facts and text in the folder `out`, or go on where that was stopped; return the manifest.

    `memory` is a bound for sorting facts; the engine has one of its own.
    """
    check_place(out)
    asked = {"sources": sources.described(), "parameters": settings.as_json()}
    with made_folder(out), claimed(out / LOCK) as mine:
        if not mine:
            who = holder(out / LOCK)
            raise BadInput(f"{out}: {who} is harvesting here; wait until it has ended, or choose another --out")
        if finished := begun(out, asked):
            shutil.rmtree(out / "work", ignore_errors=True)
            return finished
        return _made(_Harvest(sources, out, engine, settings, watch), asked, memory_bound(memory))


def _made(work: _Harvest, asked: dict[str, Any], memory: str) -> dict[str, Any]:
    """Do the work and return the manifest, or say what is missing."""
    out = work.out
    try:
        with disk_errors(out):
            manifest = work.make(asked, memory)
    except KeyboardInterrupt:
        raise Interrupted(f"stopped; what is done is kept in {out}, the same command goes on") from None
    if lost := manifest["counts"]["shards"]["lost"]:
        raise WorkFailed(
            f"{out}: the documents of shard {', '.join(map(str, lost))} are not in: the process that worked on them "
            "died, and so did the next; the rest is written, and the same command tries them again"
        )
    shutil.rmtree(out / "work")
    return manifest


class _Harvest:
    """The stages, each of which looks first whether it is done."""

    def __init__(
        self, sources: HarvestSources, out: Path, engine: Engine, settings: HarvestSettings, watch: Watch
    ) -> None:
        self.sources, self.out, self.engine, self.settings, self.watch = sources, out, engine, settings, watch
        self.work = out / "work"
        self.seconds = StageSeconds(self.work / "seconds.json")

    def make(self, asked: dict[str, Any], memory: str) -> dict[str, Any]:
        """Do what is not done yet and write the manifest."""
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
        """Gather facts and names in one folder."""
        self.watch("gathering facts", 0)
        folder = self.work / "facts"
        records = (readable(folder / "facts.json", FactsRecord), readable(folder / "properties.json", _Words))
        if None not in records:
            return FactsFolder.at(folder)
        # One whose account was altered is there all the same.
        shutil.rmtree(folder, ignore_errors=True)
        aliases, language = self.sources.aliases, self.settings.language
        return gather_facts(self.sources.facts, folder, aliases=aliases, language=language, memory=memory)

    def names(self, facts: FactsFolder) -> Gazetteer:
        """Lay out the names for searching."""
        self.watch("laying out names", 0)
        folder = self.work / "gazetteer"
        if folder.exists():
            with suppress(BadInput):
                return Gazetteer.load(folder)
            shutil.rmtree(folder)
        return build_gazetteer(facts.names_path, folder, entities=facts.kinds_path)

    def mentions(self) -> tuple[Tally, list[Shard]]:
        """Cut the text into shards and have those done that are not; return what was counted in reading, and all."""
        redirects = redirect_table(self.sources.text, self.work / "redirects.sqlite")
        places = WorkPlaces(self.work / "gazetteer", self.work / "shards", redirects)
        shards: list[Shard] = []
        with (self.work / "text.rejects.jsonl").open("w", encoding="utf-8") as stream:

            def write_down(reject: Reject) -> None:
                stream.write(reject.as_json() + "\n")

            tally = Tally(on_reject=write_down)
            for done, _ in enumerate(self.engine.find(self._tasks(places, tally, shards)), start=1):
                self.watch("finding mentions", done)
        if not shards:
            paths = ", ".join(str(path) for path in self.sources.text)
            raise BadInput(f"{paths}: no article could be read: {tally.rows} pages{what_was_found(tally.as_json())}")
        return tally, shards

    def _tasks(self, places: WorkPlaces, tally: Tally, shards: list[Shard]) -> Iterator[ShardTask]:
        """Yield the shards that are not done; every shard that there is goes to the list."""
        most, characters = self.settings.documents_per_shard, self.settings.characters_per_shard
        for some in portions(unread(self.sources.text, tally), most=most, characters=characters):
            task = ShardTask(len(shards), some, places, self.settings.mentions)
            shards.append(task.shard)
            if not task.shard.is_done:
                yield task
