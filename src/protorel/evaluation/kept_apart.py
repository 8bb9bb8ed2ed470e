"""Was the run kept apart from the data that it is judged by? Said with every result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from protorel.model import ModelSource, RelationModel
from protorel.statements import DataSet, Equivalents, fingerprint


@dataclass(frozen=True, slots=True)
class RunLeakage:
    """What is known of leakage from a run's training data into a test set."""

    trained: bool
    """Whether the model is a run of ours: of another's encoder nobody here knows what it has seen."""
    kept_apart: bool
    known: tuple[str, ...]
    """Relations under test that the run was trained on, by meaning."""
    tested: int
    counts: Mapping[str, Any] | None
    """What was dropped from the training data, as counted then."""
    test_name: str

    def as_json(self) -> dict[str, Any]:
        """Return the form that a result carries: none of the training statements that shared something remains."""
        return {
            "trained": self.trained,
            "checked": self.kept_apart,
            "known_relations": list(self.known),
            "removed": self.counts,
            "remaining": 0 if self.kept_apart else None,
        }

    def notes(self, *, relations: bool = True) -> list[str]:
        """Return what somebody who reads the figure must know, each in a line.

        Without `relations` it is taken for granted that those under test were learned, as a classifier's are.
        """
        said = []
        if self.known and relations:
            said.append(f"the run was trained on {len(self.known)} of these {self.tested} relations")
        if self.trained and not self.kept_apart:
            said.append(
                f"the run was not kept apart from {self.test_name} (--decontaminate), "
                "so it may have seen its entity pairs and sentences"
            )
        return said


def relations_seen(model: RelationModel | ModelSource) -> frozenset[str]:
    """Return the relations that a run and those it started from were trained on; none for an encoder."""
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
