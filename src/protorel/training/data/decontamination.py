"""Decontamination: training data without what they share with test sets; what is removed is counted and recorded."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from protorel.io import as_path, kind
from protorel.model import ModelSource
from protorel.recipes import WORD_ENCODERS
from protorel.statements import (
    KINDS,
    BadInput,
    DataSet,
    Equivalents,
    Leakage,
    Statement,
    StatementsLike,
    StatementSource,
    as_data_set,
    find_leakage,
    fingerprint,
    load_equivalents,
    settings_json,
    writable,
)

TestSets: TypeAlias = "StatementsLike | Iterable[StatementsLike]"
"""One test set or several, each in any form that `as_statements` accepts."""
_LONGEST = 300
"""The longest name of a relation that a record keeps in full, in characters."""


@dataclass(frozen=True, slots=True)
class RemovedOverlap:
    """A test set, and the overlap with it that was removed from the training data."""

    name: str
    fingerprint: str
    leakage: Leakage
    may_share: tuple[str, ...] = ()
    """Kinds of overlap that are allowed: no statement was removed for them."""

    def as_json(self) -> dict[str, Any]:
        """Return its entry in a run's record: counts, and names of relations."""
        relations = [[writable(name, limit=_LONGEST) for name in (r.train, r.test)] for r in self.leakage.relations]
        return {
            "name": self.name,
            "fingerprint": self.fingerprint,
            "may_share": list(self.may_share),
            **self.leakage.counts(),
            "relations": relations,
        }


@dataclass(frozen=True, slots=True)
class Decontaminated:
    """Training data without the overlap with test sets."""

    source: StatementSource
    overlaps: tuple[RemovedOverlap, ...] = ()
    removed: int = 0
    """Number of statements that share something with any of the test sets."""
    settings: Mapping[str, Any] | None = None
    started_from: Mapping[str, Any] | None = None
    """What the encoder saw before, if it comes from a run."""

    @property
    def fingerprints(self) -> list[str]:
        """Fingerprints of the test sets, sorted, to compare with a checkpoint."""
        return sorted(one.fingerprint for one in self.overlaps)

    def as_json(self) -> dict[str, Any]:
        """Return the section `leakage` of a run's record."""
        return {
            "apart_from": [one.as_json() for one in self.overlaps],
            "removed": self.removed,
            "settings": self.settings,
            "started_from": self.started_from,
        }


def as_test_sets(decontaminate: TestSets, settings: dict[str, Any]) -> list[DataSet]:
    """Return test sets as a list; they may be in `settings` under the parameter's older name, `apart_from`."""
    if "apart_from" in settings:
        warnings.warn("apart_from is now decontaminate", FutureWarning, stacklevel=3)
        decontaminate = settings.pop("apart_from")
    if isinstance(decontaminate, (DataSet, Path, str)) or _is_table(decontaminate):
        return [_as_test_set(decontaminate)]
    if isinstance(decontaminate, (bytes, Statement)) or not isinstance(decontaminate, Iterable):
        raise BadInput(f"decontaminate: expected test sets, got {kind(decontaminate)}")
    given = list(decontaminate)
    if given and isinstance(given[0], (Statement, Mapping)):
        return [_as_test_set(given)]
    return [_as_test_set(one) for one in given]


def _is_table(given: object) -> bool:
    """Tell whether an object is a mapping, a DataFrame or another table, which is one test set."""
    return isinstance(given, Mapping) or hasattr(given, "columns") or hasattr(given, "column_names")


def _as_test_set(given: StatementsLike) -> DataSet:
    if isinstance(given, (DataSet, Path, str)):
        return as_data_set(given)
    return replace(as_data_set(given, name="decontaminate"), name="data")


def as_equivalents(given: Equivalents | Path | str | None) -> Equivalents | None:
    """Return equivalent relations, read from their file if a path is given."""
    if given is None or isinstance(given, Equivalents):
        return given
    return load_equivalents(as_path(given, "equivalents", expected="a path or what load_equivalents returns"))


def remove_overlap(
    source: StatementSource,
    test_sets: Iterable[DataSet | Path | str],
    *,
    encoder: str,
    equivalents: Equivalents | Path | str | None = None,
    share: Iterable[str] = (),
) -> Decontaminated:
    """Remove from training data what they share with test sets.

    Args:
        source: The training data.
        test_sets: What to remove from them; the same test set given twice counts once.
        encoder: What training starts from. A run that starts from another run has seen what that run saw.
        equivalents: Relations that mean the same.
        share: Kinds of overlap that are allowed, such as `relations` for a classifier.

    Raises:
        BadInput: A test set is empty, or no labelled statement is left.
    """
    allowed = tuple(share)
    kinds = tuple(kind for kind in KINDS if kind not in allowed)
    past = ModelSource.find(encoder, also=WORD_ENCODERS).lineage()
    started_from = None if past is None else past.as_json()
    tests = {fingerprint(data.source()): data for data in map(as_data_set, test_sets)}
    if not tests:
        return Decontaminated(source, started_from=started_from)
    meanings = equivalents if isinstance(equivalents, Equivalents) else load_equivalents(equivalents)
    overlaps = tuple(
        RemovedOverlap(
            data.name, mark, find_leakage(source(), data.source(), equivalents=meanings, kinds=kinds), allowed
        )
        for mark, data in tests.items()
    )
    for one in overlaps:
        if not one.leakage.test:
            raise BadInput(f"{one.name}: expected a test set with at least one statement, got none")
    shared = bytes(map(any, zip(*(one.leakage.reasons for one in overlaps), strict=True)))

    def kept() -> Iterator[Statement]:
        return (statement for statement, is_shared in zip(source(), shared, strict=True) if not is_shared)

    if any(shared) and not any(statement.relation for statement in kept()):
        names = ", ".join(one.name for one in overlaps)
        raise BadInput(
            f"no labelled statement is left to train on: {sum(shared)} of {len(shared)} share something with {names}"
        )
    return Decontaminated(kept, overlaps, sum(shared), settings_json(meanings), started_from)
