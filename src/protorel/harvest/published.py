"""What a harvest leaves beside its statements: the words of the relations, and what could not be read."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from protorel.harvest.facts_folder import FactsFolder
from protorel.io import write_json, written_whole


def publish_words(facts: FactsFolder, relations: Iterable[str], path: Path) -> None:
    """Write name and description of each relation, in the form that `--descriptions` takes, if there are any."""
    words = facts.properties()
    known = [(id, words[id]) for id in sorted(relations) if id in words and words[id].label]
    if known:
        write_json(path, {id: {"name": one.label, "description": one.description or ""} for id, one in known})


def publish_rejects(parts: Sequence[Path], path: Path) -> None:
    """Join files of rejects to one, whole or not at all; there is none where nothing was rejected."""
    full = [part for part in parts if part.exists() and part.stat().st_size]
    path.unlink(missing_ok=True)
    if full:
        with written_whole(path) as beside, beside.open("wb") as stream:
            for part in full:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, stream)
