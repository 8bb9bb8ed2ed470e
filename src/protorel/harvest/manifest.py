"""The manifest of a harvest: sources with fingerprints, parameters, counts and seconds per stage.

Everything except `seconds` and `machine` is the same, to the byte, however many processes and interruptions it took.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from protorel.harvest.engines.alignment import AlignmentCounts
from protorel.harvest.engines.shards import Shard
from protorel.harvest.facts_folder import FactsFolder
from protorel.harvest.records import ManifestRecord, read_record, readable
from protorel.harvest.types import Tally
from protorel.io import write_json
from protorel.statements import BadInput

FORMAT_VERSION = 1
LOCK = "harvest.lock"
"""The lock file of the output folder."""
_SHOWN_REASONS = 5


def check_place(out: Path) -> None:
    """Raise `BadInput` for a folder in which a harvest can neither begin nor be resumed."""
    if out.is_file():
        raise BadInput(f"{out}: expected a folder, got a file")
    begun_before = (out / "manifest.json").exists() or (out / "work").exists()
    if not begun_before and out.exists() and any(path.name != LOCK for path in out.iterdir()):
        raise BadInput(f"{out}: expected an empty folder or a harvest, got other files; choose another --out")


def begun(out: Path, asked: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the manifest of a finished harvest, or None; refuse a harvest of other sources or settings."""
    check_place(out)
    expected = json.loads(json.dumps(asked))
    manifest, work = out / "manifest.json", out / "work"
    for place in (manifest, work / "asked.json"):
        if place.exists():
            found = read_record(place, dict[str, Any])
            if {name: found.get(name) for name in expected} != expected:
                raise BadInput(f"{out}: holds a harvest of other sources or settings; choose another --out")
            if place == manifest and not read_record(place, ManifestRecord).counts.shards.lost:
                return found
    write_json(work / "asked.json", expected)
    return None


class StageSeconds:
    """The seconds of each stage, summed over interruptions."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.taken: dict[str, float] = readable(path, dict[str, float]) or {}

    @contextmanager
    def of(self, stage: str) -> Iterator[None]:
        """Time a block, even if it is interrupted."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.taken[stage] = round(self.taken.get(stage, 0.0) + time.monotonic() - began, 3)
            write_json(self._path, self.taken)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The counts of all stages of a harvest."""

    asked: Mapping[str, Any]
    facts: FactsFolder
    names: Mapping[str, int]
    text: Tally
    shards: Sequence[Shard]
    found: AlignmentCounts

    def counts(self) -> dict[str, Any]:
        """Return the counts of each stage."""
        facts = self.facts
        read, mentions = self._of_shards()
        return {
            "facts": {"facts": facts.facts, "names": facts.names, "relations": facts.relations, **facts.tally},
            "names": dict(self.names),
            "text": read,
            "mentions": mentions,
            "alignment": self.found.as_json(),
            "shards": {"all": len(self.shards), "lost": [one.number for one in self.shards if not one.is_done]},
        }

    def write(self, out: Path, *, seconds: Mapping[str, float], engine: str) -> dict[str, Any]:
        """Write `manifest.json` and return it."""
        manifest = {"task": "harvest", "version": FORMAT_VERSION, "protorel": version("protorel"), **self.asked}
        manifest |= {"counts": self.counts(), "relations": self.found.per_relation}
        manifest |= {"seconds": dict(seconds), "machine": {**machine(), "engine": engine}}
        write_json(out / "manifest.json", manifest)
        return manifest

    def why_nothing(self) -> str:
        """Return a line that explains why there is no statement."""
        counts = self.counts()
        mentions, text = counts["mentions"], counts["text"]
        return (
            f"no sentence gives a statement: {text['taken']} documents{reasons_in_brackets(text)}, "
            f"{mentions.get('sentences', 0)} sentences, "
            f"{mentions.get('sentences that name two entities or more', 0)} of them with two entities or more, "
            f"{self.found.pairs} ordered pairs of entities, {self.found.aligned} of them with a fact"
        )

    def _of_shards(self) -> tuple[dict[str, Any], dict[str, int]]:
        """Sum up the counts of reading, here and in the shards, and those of finding mentions."""
        read = self.text.as_json()
        mentions: Counter[str] = Counter()
        for shard in self.shards:
            if shard.is_done:
                counted = shard.counts()
                read = _added(read, counted.text.model_dump())
                mentions.update(counted.mentions)
        return read, dict(sorted(mentions.items()))


def reasons_in_brackets(text: Mapping[str, Any]) -> str:
    """Return in brackets why documents were left out or rejected, and which oddities were noticed."""
    kinds = (("left out", "left_out"), ("rejected", "rejected"), ("noticed", "noticed"))
    reasons = [
        f"{count} {kind}: {reason}"
        for kind, name in kinds
        for reason, count in list(text[name].items())[:_SHOWN_REASONS]
    ]
    return f" ({'; '.join(reasons)})" if reasons else ""


def machine() -> dict[str, Any]:
    """Return what the seconds depend on: system, processor and cores."""
    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()}


def _added(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Add two tallies in JSON form."""
    added: dict[str, Any] = {}
    for name, value in one.items():
        if isinstance(value, int):
            added[name] = value + other[name]
        else:
            added[name] = dict(sorted((Counter(value) + Counter(other[name])).items()))
    return added
