"""What may be chosen about a harvest, and what it is made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from protorel.harvest.alignment import AlignmentRule
from protorel.harvest.manifest import described
from protorel.harvest.shard_work import MentionRule
from protorel.statements import BadInput

CHARACTERS_PER_DOCUMENT = 10_000
"""For each document that a shard may have: three times what a page of Wikipedia has on average."""


@dataclass(frozen=True, slots=True)
class HarvestSettings:
    """What may be chosen; equal sources and settings give equal statements."""

    language: str = "en"
    """Of labels, aliases and titles in a Wikidata dump."""
    documents_per_shard: int = 500
    """A shard has at most so many documents, and fewer where they are long: see `characters_per_shard`."""
    mentions: MentionRule = field(default_factory=MentionRule)
    alignment: AlignmentRule = field(default_factory=AlignmentRule)

    def __post_init__(self) -> None:
        if self.documents_per_shard < 1:
            raise BadInput(f"{self.documents_per_shard} documents in a shard are asked for, 1 or more is wanted")

    @property
    def characters_per_shard(self) -> int:
        """How many characters make a shard full: it is what a process holds in memory."""
        return self.documents_per_shard * CHARACTERS_PER_DOCUMENT

    def as_json(self) -> dict[str, Any]:
        """Return the settings as the manifest has them."""
        return {**asdict(self), "characters_per_shard": self.characters_per_shard}


@dataclass(frozen=True, slots=True)
class HarvestSources:
    """What a harvest is made of: files or folders."""

    facts: tuple[Path, ...]
    text: tuple[Path, ...]
    aliases: tuple[Path, ...] = ()

    def described(self) -> dict[str, Any]:
        """Say which files these are."""
        return {name: described(getattr(self, name)) for name in ("facts", "text", "aliases")}
