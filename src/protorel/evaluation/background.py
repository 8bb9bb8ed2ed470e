"""Background statements: relations that are not under test, from which the spread within a relation is learned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch

from protorel.evaluation.few_shot import labelled
from protorel.evaluation.vector_cache import encode_once
from protorel.geometry import Whitening, fit_whitening
from protorel.model import RelationModel
from protorel.statements import BadInput, Equivalents, Statement, fingerprint, load_equivalents

_EACH = 80
"""Statements of each background relation that are used: more hardly changes the spread."""


@dataclass(frozen=True, slots=True)
class Background:
    """A whitening, and what it was learned from."""

    whitening: Whitening
    statements: int
    relations: int
    left_out: int
    """Relations of the background that are under test, and so were not used."""
    fingerprint: str


def learn_background(
    model: RelationModel,
    statements: Sequence[Statement],
    tested: Iterable[str],
    *,
    equivalents: Equivalents | None = None,
) -> Background:
    """Learn a whitening from labelled statements; relations under test, by meaning, are strictly left out."""
    kept, relations_of_kept = labelled(statements)
    under_test = frozenset((equivalents or load_equivalents()).among(relations_of_kept, tested))
    seen: dict[str, int] = {}
    chosen = []
    for statement, relation in zip(kept, relations_of_kept, strict=True):
        seen[relation] = seen.get(relation, 0) + 1
        if relation not in under_test and seen[relation] <= _EACH:
            chosen.append(statement)
    names = sorted(set(seen) - under_test)
    if len(chosen) <= len(names):
        raise BadInput(
            f"{len(chosen)} background statements of {len(names)} relations are left besides those under test, "
            "at least two of a relation are wanted"
        )
    code = {name: index for index, name in enumerate(names)}
    relations = torch.tensor([code[str(statement.relation)] for statement in chosen])
    return Background(
        fit_whitening(encode_once(model, chosen), relations),
        len(chosen),
        len(names),
        len(under_test),
        fingerprint(chosen),
    )
