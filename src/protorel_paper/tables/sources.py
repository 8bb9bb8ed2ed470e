"""Where the data of the tables come from: somebody's folder of benchmark files, converted once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from protorel.corpora import convert
from protorel.io import claimed, disk_errors, read_json, sha256, write_json
from protorel.statements import BadInput, DataSet


class Sources(Protocol):
    """Gives the data sets of the tables by name."""

    def open(self, name: str) -> DataSet:
        """Return a data set: distant, fewrel_train, fewrel_val, fuzzyred, semeval_train or semeval_test."""
        ...


@dataclass(frozen=True, slots=True)
class Part:
    """Files of one format; of several patterns the first that matches counts."""

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
"""What a data folder holds, as the files are called where they were published."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Benchmark files as their authors published them, converted once into a folder of ours."""

    folder: Path
    converted: Path

    def open(self, name: str) -> DataSet:
        """Return a data set: Parquet of that name as it is, or else the published files, converted if need be."""
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
                raise BadInput(f"{self.folder}: its files for {name} are not those that {self.converted} was made of")
            return
        for part, found in files.items():
            convert(found, part.format, self.converted / name / f"{part.name}.parquet")
        write_json(made_of, hashes)

    def _files(self, part: Part) -> Sequence[Path]:
        for pattern in part.patterns:
            if found := sorted(self.folder.glob(pattern)):
                return found
        raise BadInput(f"{self.folder}: holds no {' or '.join(part.patterns)}, which {part.name} is read from")


class Described:
    """Data sets that are read and fingerprinted once in a process."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._sets: dict[str, DataSet] = {}
        self._said: dict[str, dict[str, Any]] = {}

    def open(self, name: str) -> DataSet:
        """Return a data set by name."""
        if name not in self._sets:
            self._sets[name] = self.sources.open(name)
        return self._sets[name]

    def fingerprints(self, names: Iterable[str]) -> dict[str, str]:
        """Return the fingerprints of some data sets by name."""
        return {name: self.described(name)["fingerprint"] for name in names}

    def described(self, name: str) -> dict[str, Any]:
        """Say which data this is: name, fingerprint, counts."""
        if name not in self._said:
            self._said[name] = self.open(name).described()
        return self._said[name]
