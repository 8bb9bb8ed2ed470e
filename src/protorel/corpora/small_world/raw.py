"""The small world as raw material: text and facts in plain files, for tools that align them on their own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from protorel.corpora.small_world.world import SmallWorld
from protorel.io import write_text


def write_raw(world: SmallWorld, folder: Path) -> None:
    """Write `documents.jsonl` (id, text), `facts.tsv` (head, relation, tail) and `aliases.tsv` (entity, name, type)."""
    documents = ({"id": document.id, "text": document.text} for document in world.documents)
    write_text(folder / "documents.jsonl", _lines(json.dumps(document, ensure_ascii=False) for document in documents))
    write_text(folder / "facts.tsv", _lines(f"{fact.head}\t{fact.relation}\t{fact.tail}" for fact in world.facts))
    write_text(folder / "aliases.tsv", _lines(f"{e.id}\t{e.name}\t{e.type}" for e in world.entities))


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
