"""Keeping a run apart from test sets: what the training data share with them is dropped, counted and recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.model import ModelSource
from protorel.recipes import WORD_ENCODERS
from protorel.statements import (
    KINDS,
    BadInput,
    DataSet,
    Equivalents,
    Leakage,
    Statement,
    StatementSource,
    find_leakage,
    fingerprint,
    load_equivalents,
    settings_json,
    writable,
)

_LONGEST = 300
"""The longest name of a relation that a record keeps whole, in characters."""


@dataclass(frozen=True, slots=True)
class KeptApart:
    """A test set that training data were kept apart from, and what that cost."""

    name: str
    fingerprint: str
    leakage: Leakage
    may_share: tuple[str, ...] = ()
    """What the training data may have in common with it: no statement was dropped for that."""

    def as_json(self) -> dict[str, Any]:
        """Return what a run's record keeps of it: counts, and names of relations."""
        relations = [[writable(name, limit=_LONGEST) for name in (r.train, r.test)] for r in self.leakage.relations]
        return {
            "name": self.name,
            "fingerprint": self.fingerprint,
            "may_share": list(self.may_share),
            **self.leakage.counts(),
            "relations": relations,
        }


@dataclass(frozen=True, slots=True)
class Apart:
    """Training data without what they share with test sets."""

    source: StatementSource
    kept: tuple[KeptApart, ...] = ()
    removed: int = 0
    """How many statements share something with any of the test sets."""
    settings: Mapping[str, Any] | None = None
    started_from: Mapping[str, Any] | None = None
    """What the encoder had seen before, if it comes from a run."""

    @property
    def fingerprints(self) -> list[str]:
        """The test sets, in a form that a checkpoint can be compared by."""
        return sorted(one.fingerprint for one in self.kept)

    def as_json(self) -> dict[str, Any]:
        """Return what a run's record says of it."""
        return {
            "apart_from": [one.as_json() for one in self.kept],
            "removed": self.removed,
            "settings": self.settings,
            "started_from": self.started_from,
        }


def keep_apart(
    source: StatementSource,
    apart_from: Iterable[DataSet | Path | str],
    *,
    encoder: str,
    equivalents: Equivalents | None = None,
    share: Iterable[str] = (),
) -> Apart:
    """Drop from training data what they share with each of some test sets; what is left can be read again and again.

    `encoder` is what training starts from: a run that begins with another run has seen what that one saw. `share`
    names what training and test sets may have in common, such as `relations` for a classifier.
    """
    allowed = tuple(share)
    kinds = tuple(kind for kind in KINDS if kind not in allowed)
    past = ModelSource.find(encoder, also=WORD_ENCODERS).lineage()
    started_from = None if past is None else past.as_json()
    tests = {fingerprint(data.source()): data for data in map(_data_set, apart_from)}
    if not tests:
        return Apart(source, started_from=started_from)
    meanings = equivalents or load_equivalents()
    kept = tuple(
        KeptApart(data.name, mark, find_leakage(source(), data.source(), equivalents=meanings, kinds=kinds), allowed)
        for mark, data in tests.items()
    )
    for one in kept:
        if not one.leakage.test:
            raise BadInput(f"{one.name}: holds no statement to be kept apart from")
    shared = bytes(map(any, zip(*(one.leakage.reasons for one in kept), strict=True)))

    def apart() -> Iterator[Statement]:
        return (statement for statement, is_shared in zip(source(), shared, strict=True) if not is_shared)

    if any(shared) and not any(statement.relation for statement in apart()):
        names = ", ".join(one.name for one in kept)
        raise BadInput(
            f"no labelled statement is left to train on: {sum(shared)} of {len(shared)} share something with {names}"
        )
    return Apart(apart, kept, sum(shared), settings_json(meanings), started_from)


def _data_set(given: DataSet | Path | str) -> DataSet:
    return given if isinstance(given, DataSet) else DataSet.at(given)
