"""The lineage of a run: the relations that it and all runs before it saw, and their common test sets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from protorel.model.run_record import RunRecord


@dataclass(frozen=True, slots=True)
class Lineage:
    """The data of a run's training and of all trainings before it."""

    name: str
    apart_from: frozenset[str]
    """Test sets that every training was decontaminated of, by fingerprint."""
    relations: frozenset[str]
    """Relations that any training saw."""

    @classmethod
    def of(cls, name: str, record: RunRecord, learned: Iterable[str]) -> Lineage:
        """Return the lineage in a record; `learned` are the relations that have a prototype."""
        relations = frozenset(learned)
        if (leakage := record.leakage) is None:
            return cls(name, frozenset(), relations)
        apart = frozenset(one.fingerprint for one in leakage.apart_from)
        if (earlier := leakage.started_from) is not None:
            apart &= frozenset(earlier.apart_from)
            relations |= frozenset(earlier.relations)
        return cls(name, apart, relations)

    def as_json(self) -> dict[str, Any]:
        """Return the section `started_from` in the record of a run that starts from this one."""
        return {"name": self.name, "apart_from": sorted(self.apart_from), "relations": sorted(self.relations)}
