"""Background statements: relations that are not under test, from which the spread within a relation is learned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from protorel.evaluation.held_out import HeldOut, hold_out
from protorel.evaluation.vector_cache import encode_once
from protorel.geometry import CENTRING, SHRINKAGE, Whitening, fit_whitening
from protorel.model import RelationModel
from protorel.statements import BadInput, Equivalents, Statement, load_equivalents


@dataclass(frozen=True, slots=True)
class Background:
    """A whitening, and what it was learned from."""

    whitening: Whitening
    others: HeldOut

    def as_json(self) -> dict[str, Any]:
        """Say what the whitening was learned from, and how."""
        return self.others.as_json() | {"shrinkage": SHRINKAGE, "centring": CENTRING}


def learn_background(
    model: RelationModel,
    statements: Sequence[Statement],
    tested: Iterable[str],
    *,
    equivalents: Equivalents | None = None,
) -> Background:
    """Learn a whitening from labelled statements; relations under test, by meaning, are strictly left out."""
    others = hold_out(statements, tested, equivalents=equivalents or load_equivalents())
    names = others.names
    if len(others.statements) <= len(names):
        raise BadInput(
            f"{len(others.statements)} background statements of {len(names)} relations are left besides those under "
            "test, at least two of a relation are wanted"
        )
    code = {name: index for index, name in enumerate(names)}
    relations = torch.tensor([code[relation] for relation in others.relations])
    return Background(fit_whitening(encode_once(model, others.statements), relations), others)
