"""What a run has behind it, and the runs that it began with: the relations seen, the test sets all were kept from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protorel.geometry import Prototypes
from protorel.model.run_record import is_run, read_record

if TYPE_CHECKING:
    from protorel.model.relation_model import RelationModel


@dataclass(frozen=True, slots=True)
class RunPast:
    """A run's past, its own training and all before it."""

    name: str
    apart_from: frozenset[str]
    """Test sets that every training was kept apart from, by fingerprint."""
    relations: frozenset[str]
    """Relations that any training saw."""

    def as_json(self) -> dict[str, Any]:
        """Return what the record of a run that begins here says of it."""
        return {"name": self.name, "apart_from": sorted(self.apart_from), "relations": sorted(self.relations)}


def model_past(model: RelationModel) -> RunPast | None:
    """Return the past of a loaded model by its record; None for an encoder that is not a run."""
    return None if model.record is None else _past(model.name, model.record.as_written(), model.relations.ids)


def run_past(folder: Path) -> RunPast | None:
    """Look a run's past up in its record; None where the folder is no run, so that nobody here knows."""
    if not is_run(folder):
        return None
    return _past(folder.name, read_record(folder), Prototypes.load(folder).relations.ids)


def _past(name: str, record: Mapping[str, Any], learned: Iterable[str]) -> RunPast:
    leakage = record.get("leakage") or {}
    relations = frozenset(learned)
    apart = frozenset(one["fingerprint"] for one in leakage.get("apart_from", []))
    if (earlier := leakage.get("started_from")) is not None:
        apart &= frozenset(earlier["apart_from"])
        relations |= frozenset(earlier["relations"])
    return RunPast(name, apart, relations)
