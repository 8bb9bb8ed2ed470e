"""Data of the tables: a folder of benchmark files, converted once, or the embedded small world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from protorel.corpora import SmallWorld, SmallWorldSettings, build_small_world, convert
from protorel.evaluation import OTHER, SEMEVAL_RELATIONS
from protorel.io import claimed, disk_errors, read_json, sha256, write_json
from protorel.statements import BadInput, DataSet, Statement


class Sources(Protocol):
    """Gives the data sets of the tables by name."""

    def open(self, name: str) -> DataSet:
        """Return a data set: distant, fewrel_train, fewrel_val, fuzzyred, semeval_train or semeval_test."""
        ...


@dataclass(frozen=True, slots=True)
class Part:
    """Files of one format; the first pattern that matches is used."""

    name: str
    format: str
    patterns: tuple[str, ...]


LAYOUT: Mapping[str, tuple[Part, ...]] = {
    "fewrel_train": (
        Part("fewrel_train", "fewrel", ("fewrel/train_wiki.json", "fewrel/train_wiki.reconstructed.json")),
    ),
    "fewrel_val": (Part("fewrel_val", "fewrel", ("fewrel/val_wiki.json",)),),
    "distant": (
        Part("redocred", "docred", ("distant/redocred/*.json",)),
        Part("rebel", "rebel", ("distant/rebel_sample/*.jsonl",)),
        Part("wikizsl", "zerorte", ("distant/wikizsl/*.jsonl",)),
    ),
    "fuzzyred": (Part("fuzzyred", "fuzzyred", ("fuzzyred/fuzzyRE_data/*.semeval", "fuzzyred/*.semeval")),),
    "semeval_train": (Part("semeval_train", "semeval", ("semeval2010/TRAIN_FILE.TXT",)),),
    "semeval_test": (Part("semeval_test", "semeval", ("semeval2010/TEST_FILE_FULL.TXT",)),),
}
"""Files of a data folder, by the names under which they were published."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Benchmark files as their authors published them, converted once."""

    folder: Path
    converted: Path

    def open(self, name: str) -> DataSet:
        """Return a data set: a Parquet file of that name, or the published files, converted if necessary."""
        for own in (self.folder / f"{name}.parquet", self.folder / name):
            if own.is_file() or any(own.glob("*.parquet")):
                return DataSet.at(own)
        for part in LAYOUT[name]:  # before a folder is made
            self._files(part)
        with disk_errors(self.converted, cannot="make this folder"):
            self.converted.mkdir(parents=True, exist_ok=True)
        with claimed(self.converted / f"{name}.lock", wait=True):
            self._convert(name)
        return DataSet.at(self.converted / name)

    def _convert(self, name: str) -> None:
        files = {part: self._files(part) for part in LAYOUT[name]}
        hashes = {part.name: {path.name: sha256(path) for path in found} for part, found in files.items()}
        made_of = self.converted / f"{name}.json"
        if made_of.is_file():
            if read_json(made_of) != hashes:
                raise BadInput(f"{self.folder}: its files for {name} differ from those in {self.converted}")
            return
        for part, found in files.items():
            convert(found, part.format, self.converted / name / f"{part.name}.parquet")
        write_json(made_of, hashes)

    def _files(self, part: Part) -> Sequence[Path]:
        for pattern in part.patterns:
            if found := sorted(self.folder.glob(pattern)):
                return found
        raise BadInput(f"{self.folder}: expected {' or '.join(part.patterns)} for {part.name}, found no such file")


_SETTINGS = SmallWorldSettings(statements_per_relation=8, held_out_per_relation=6)


class SmallWorldData:
    """Small world in place of the benchmarks: distant labels, known relations in new phrasings, new relations."""

    def __init__(self, settings: SmallWorldSettings = _SETTINGS) -> None:
        self.world = build_small_world(settings)

    def open(self, name: str) -> DataSet:
        """Return the part of small world that replaces a benchmark."""
        return DataSet.of(f"small_world_{name}", _statements(self.world, name))


def _statements(world: SmallWorld, name: str) -> Iterable[Statement]:
    match name:
        case "distant" | "fuzzyred":
            return world.train
        case "fewrel_train":
            return world.test_phrasings
        case "fewrel_val":
            return world.test_relations
        case "semeval_train":
            return _as_semeval(world.train, world)
        case "semeval_test":
            return _as_semeval(world.test_phrasings, world)
        case _:
            raise ValueError(f"small world has nothing for {name}")


def _as_semeval(statements: Iterable[Statement], world: SmallWorld) -> list[Statement]:
    """Relabel statements as in SemEval: nine relations get its names, all others are Other."""
    names = dict(zip(world.train_relations, (f"{name}(e1,e2)" for name in SEMEVAL_RELATIONS), strict=False))
    return [replace(statement, relation=names.get(str(statement.relation), OTHER)) for statement in statements]


class Described:
    """Data sets that are opened and fingerprinted once per process."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._sets: dict[str, DataSet] = {}
        self._descriptions: dict[str, dict[str, Any]] = {}

    def open(self, name: str) -> DataSet:
        """Return a data set by name."""
        if name not in self._sets:
            self._sets[name] = self.sources.open(name)
        return self._sets[name]

    def fingerprints(self, names: Iterable[str]) -> dict[str, str]:
        """Return the fingerprints of data sets by name."""
        return {name: self.described(name)["fingerprint"] for name in names}

    def described(self, name: str) -> dict[str, Any]:
        """Return the name, fingerprint and counts of a data set."""
        if name not in self._descriptions:
            self._descriptions[name] = self.open(name).described()
        return self._descriptions[name]
