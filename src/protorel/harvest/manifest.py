"""What a harvest was made of and by: sources with fingerprints, parameters, counts at each stage, and the time it took.

Everything but `seconds` and `machine` is the same, to the byte, however often, by however many processes, and after
however many interruptions a harvest is made.
"""

from __future__ import annotations

import hashlib
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

from protorel.harvest.engine import AlignmentCounts
from protorel.harvest.facts_folder import FactsFolder
from protorel.harvest.opening import files_in
from protorel.harvest.records import ManifestRecord, read_record, readable
from protorel.harvest.shards import Shard
from protorel.harvest.tally import Tally
from protorel.io import open_source, sha256, write_json
from protorel.statements import BadInput

FORMAT_VERSION = 1
LOCK = "harvest.lock"
"""The file by which a process claims the folder that it harvests into."""
_WHOLE = 256 * 2**20
_PIECE = 2**20
_PIECES = 64
_SHOWN_REASONS = 5


def described(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Say which files these are: by name, size and fingerprint, never by path."""
    return [_file(file) for path in paths for file in files_in(path)]


def check_place(out: Path) -> None:
    """Refuse a place where a harvest can neither begin nor go on."""
    if out.is_file():
        raise BadInput(f"{out}: expected a folder, got a file")
    begun_before = (out / "manifest.json").exists() or (out / "work").exists()
    if not begun_before and out.exists() and any(path.name != LOCK for path in out.iterdir()):
        raise BadInput(f"{out}: holds something else than a harvest; choose another --out")


def begun(out: Path, asked: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the manifest of a harvest that is done; refuse to go on with another one than was begun."""
    check_place(out)
    wanted = json.loads(json.dumps(asked))
    manifest, work = out / "manifest.json", out / "work"
    for place in (manifest, work / "asked.json"):
        if place.exists():
            found = read_record(place, dict[str, Any])
            if {name: found.get(name) for name in wanted} != wanted:
                raise BadInput(f"{out}: holds a harvest of other sources or settings; choose another --out")
            if place == manifest and not read_record(place, ManifestRecord).counts.shards.lost:
                return found
    write_json(work / "asked.json", wanted)
    return None


class StageSeconds:
    """How long each stage took, over all the times that it was begun."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.taken: dict[str, float] = readable(path, dict[str, float]) or {}

    @contextmanager
    def of(self, stage: str) -> Iterator[None]:
        """Take the time of a block, even of one that is broken off."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.taken[stage] = round(self.taken.get(stage, 0.0) + time.monotonic() - began, 3)
            write_json(self._path, self.taken)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The counts of all stages."""

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
        whole = {"task": "harvest", "version": FORMAT_VERSION, "protorel": version("protorel"), **self.asked}
        whole |= {"counts": self.counts(), "relations": self.found.per_relation}
        whole |= {"seconds": dict(seconds), "machine": {**machine(), "engine": engine}}
        write_json(out / "manifest.json", whole)
        return whole

    def why_nothing(self) -> str:
        """Say in one line why there is no statement."""
        counts = self.counts()
        mentions, text = counts["mentions"], counts["text"]
        return (
            f"no sentence gives a statement: {text['taken']} documents{what_was_found(text)}, "
            f"{mentions.get('sentences', 0)} sentences, "
            f"{mentions.get('sentences that name two entities or more', 0)} of them with two entities or more, "
            f"{self.found.pairs} ordered pairs of entities, {self.found.aligned} of them with a fact"
        )

    def _of_shards(self) -> tuple[dict[str, Any], dict[str, int]]:
        """Add up what was counted in reading, here and in the shards, and what was counted in finding mentions."""
        read = self.text.as_json()
        mentions: Counter[str] = Counter()
        for shard in self.shards:
            if shard.is_done:
                counted = shard.counts()
                read = _added(read, counted.text.model_dump())
                mentions.update(counted.mentions)
        return read, dict(sorted(mentions.items()))


def what_was_found(text: Mapping[str, Any]) -> str:
    """Say in brackets what else reading met: why documents were left out or rejected, and what was odd."""
    kinds = (("left out", "left_out"), ("rejected", "rejected"), ("noticed", "noticed"))
    reasons = [
        f"{count} {kind}: {reason}"
        for kind, name in kinds
        for reason, count in list(text[name].items())[:_SHOWN_REASONS]
    ]
    return f" ({'; '.join(reasons)})" if reasons else ""


def machine() -> dict[str, Any]:
    """Describe the machine, as far as seconds depend on it."""
    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()}


def _added(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Add two accounts of reading, count by count."""
    added: dict[str, Any] = {}
    for name, value in one.items():
        if isinstance(value, int):
            added[name] = value + other[name]
        else:
            added[name] = dict(sorted((Counter(value) + Counter(other[name])).items()))
    return added


def _file(path: Path) -> dict[str, Any]:
    size = path.stat().st_size
    if size <= _WHOLE:
        return {"name": path.name, "bytes": size, "sha256": sha256(path)}
    return {"name": path.name, "bytes": size, "sha256_of_pieces": _sampled(path, size)}


def _sampled(path: Path, size: int) -> str:
    """Hash pieces spread evenly over a large file: to read a dump of 100 GB twice would cost more than it tells."""
    digest = hashlib.sha256(str(size).encode())
    with open_source(path) as stream:
        for number in range(_PIECES):
            stream.seek((size - _PIECE) * number // (_PIECES - 1))
            digest.update(stream.read(_PIECE))
    return digest.hexdigest()
