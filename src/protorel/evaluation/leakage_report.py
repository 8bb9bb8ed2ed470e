"""Leakage report: was overlap with the test set removed from a run's training data? Part of every result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from protorel.model import ModelSource, RelationModel
from protorel.statements import DataSet, Equivalents, fingerprint


@dataclass(frozen=True, slots=True)
class RunLeakage:
    """What is known of overlap between a run's training data and a test set."""

    trained: bool
    """Whether the model is a run of this library; what another encoder was trained on is not known."""
    decontaminated: bool
    """Whether all overlap with the test set was removed from the training data."""
    known: tuple[str, ...]
    """Relations under test that the run was trained on, by meaning."""
    tested: int
    """The number of relations under test."""
    counts: Mapping[str, Any] | None
    """What was removed from the training data, as counted at training."""
    test_name: str

    def as_json(self) -> dict[str, Any]:
        """Return the report; after decontamination, 0 overlapping training statements remain."""
        return {
            "trained": self.trained,
            "checked": self.decontaminated,
            "known_relations": list(self.known),
            "removed": self.counts,
            "remaining": 0 if self.decontaminated else None,
        }

    def notes(self, *, relations: bool = True) -> list[str]:
        """Return notes on how to read the figures.

        Args:
            relations: Whether to mention relations that the run was trained on. For a classifier these are expected.
        """
        notes = []
        if self.known and relations:
            notes.append(f"the run was trained on {len(self.known)} of these {self.tested} relations")
        if self.trained and not self.decontaminated:
            notes.append(
                f"overlap with {self.test_name} was not removed from the run's training data (--decontaminate), "
                "so it may have seen its entity pairs and sentences"
            )
        return notes


def relations_seen(model: RelationModel | ModelSource) -> frozenset[str]:
    """Return the relations that a run, or a run it started from, was trained on; none for an encoder."""
    lineage = model.lineage if isinstance(model, RelationModel) else model.lineage()
    return frozenset() if lineage is None else lineage.relations


def run_leakage(model: RelationModel, data: DataSet, tested: Iterable[str], *, equivalents: Equivalents) -> RunLeakage:
    """Return what the model's record says of overlap with a test set; relations are compared by meaning."""
    relations, seen = set(tested), relations_seen(model)
    trained = model.record is not None
    record = (model.record.as_written().get("leakage") or {}) if model.record is not None else {}
    before = record.get("started_from")
    mark = fingerprint(data.source()) if trained else ""
    counts = next((one for one in record.get("apart_from", []) if one["fingerprint"] == mark), None)
    if before is not None and mark not in before["apart_from"]:
        counts = None
    known = tuple(equivalents.among(relations, seen or model.relations.ids))
    return RunLeakage(trained, counts is not None, known, len(relations), counts, data.name)
