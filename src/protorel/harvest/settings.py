"""The settings of a harvest, and its sources with their fingerprints."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from protorel.harvest.engines.alignment import AlignmentRule
from protorel.harvest.mentions.finder import MentionRule
from protorel.harvest.sources.files import files_in
from protorel.io import as_path, check_count, check_type, open_source, sha256

_HASHED_WHOLE = 256 * 2**20
_PIECE = 2**20
_PIECES = 64
CHARACTERS_PER_DOCUMENT = 10_000
"""Three times the average page of Wikipedia."""


@dataclass(frozen=True, slots=True)
class HarvestSettings:
    """Settings of a harvest; equal sources and settings give equal statements.

    Raises:
        BadInput: a setting has the wrong type or is out of range.

    >>> HarvestSettings(documents_per_shard=50).characters_per_shard
    500000
    """

    language: str = "en"
    """The language of labels, aliases and titles in a Wikidata dump."""
    documents_per_shard: int = 500
    """The most documents per shard; a shard of long documents has fewer: see `characters_per_shard`."""
    mentions: MentionRule = field(default_factory=MentionRule)
    """How mentions of entities are found."""
    alignment: AlignmentRule = field(default_factory=AlignmentRule)
    """How mentions and facts become statements."""

    def __post_init__(self) -> None:
        check_type(self.language, str, where="language", expected="a code such as 'en'")
        check_count(self.documents_per_shard, where="documents_per_shard")
        check_type(self.mentions, MentionRule, where="mentions", expected="a MentionRule")
        check_type(self.alignment, AlignmentRule, where="alignment", expected="an AlignmentRule")

    @property
    def characters_per_shard(self) -> int:
        """The number of characters that fill a shard, which a process holds in memory."""
        return self.documents_per_shard * CHARACTERS_PER_DOCUMENT

    def as_json(self) -> dict[str, Any]:
        """Return the settings as in the manifest."""
        return {**asdict(self), "characters_per_shard": self.characters_per_shard}


@dataclass(frozen=True, slots=True)
class HarvestSources:
    """The sources of a harvest: files or folders, each given as a path or as several.

    Raises:
        BadInput: a source is not a path.

    >>> HarvestSources("facts.tsv", ["a.jsonl", "b.jsonl"]).facts
    (PosixPath('facts.tsv'),)
    """

    facts: tuple[Path, ...]
    """Facts: a Wikidata JSON dump, or triples in TSV, CSV or Parquet."""
    text: tuple[Path, ...]
    """Text: a Wikipedia XML dump, JSON lines, Parquet or plain text."""
    aliases: tuple[Path, ...] = ()
    """More names of the entities."""

    def __post_init__(self) -> None:
        for name in ("facts", "text", "aliases"):
            given = getattr(self, name)
            several = [given] if isinstance(given, str | PathLike) else given
            check_type(several, Iterable, where=name, expected="a path or a list of paths")
            object.__setattr__(self, name, tuple(as_path(path, where=name) for path in several))

    def described(self) -> dict[str, Any]:
        """Return the name, size and fingerprint of each file."""
        return {name: described(getattr(self, name)) for name in ("facts", "text", "aliases")}


def described(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the name, size and fingerprint of each file, never its path."""
    return [_file(file) for path in paths for file in files_in(path)]


def _file(path: Path) -> dict[str, Any]:
    size = path.stat().st_size
    if size <= _HASHED_WHOLE:
        return {"name": path.name, "bytes": size, "sha256": sha256(path)}
    return {"name": path.name, "bytes": size, "sha256_of_pieces": _sampled(path, size)}


def _sampled(path: Path, size: int) -> str:
    """Return a hash of pieces spread evenly over a large file: reading 100 GB twice would take too long."""
    digest = hashlib.sha256(str(size).encode())
    with open_source(path) as stream:
        for number in range(_PIECES):
            stream.seek((size - _PIECE) * number // (_PIECES - 1))
            digest.update(stream.read(_PIECE))
    return digest.hexdigest()
