"""The crowd around the ways under test: statements of other relations, strictly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from protorel.evaluation.held_out import HeldOut, hold_out
from protorel.evaluation.judged_space import JudgedSpace
from protorel.evaluation.settings import EpisodeSettings
from protorel.fewshot import HubnessCorrection
from protorel.statements import BadInput, DataSet, Equivalents


def find_crowd(
    data: DataSet, tested: Iterable[str], settings: EpisodeSettings, *, rejecting: bool, equivalents: Equivalents
) -> HeldOut:
    """Take statements of other relations than those under test; what a crowd cannot stand beside is refused."""
    settings.check_beside_crowd(rejecting=rejecting)
    statements = list(data.source())
    if all(statement.relation is None for statement in statements):
        raise BadInput(f"{data.path or data.name}: holds no labelled statement, those of other relations are wanted")
    others = hold_out(statements, tested, equivalents=equivalents)
    if not others.statements:
        raise BadInput(
            f"{data.path or data.name}: no statement is left for the crowd besides those of the {others.left_out} "
            "relations under test, labelled statements of other relations are wanted"
        )
    return others


def place_crowd(space: JudgedSpace, others: HeldOut) -> HubnessCorrection:
    """Put a crowd where the ways are."""
    return HubnessCorrection(space.statements(others.statements))


def crowd_json(crowd: HubnessCorrection, others: HeldOut) -> dict[str, Any]:
    """Say who the crowd is, and how much its nearness counts."""
    return others.as_json() | {"weight": crowd.weight, "share": crowd.share}
