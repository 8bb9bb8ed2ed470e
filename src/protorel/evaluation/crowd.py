"""Hubness correction: statements of other relations, to which candidate relations may be close."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from protorel.evaluation.held_out import HeldOut, hold_out
from protorel.evaluation.judged_space import JudgedSpace
from protorel.fewshot import HubnessCorrection
from protorel.statements import BadInput, DataSet, Equivalents


def find_crowd(data: DataSet, tested: Iterable[str], *, equivalents: Equivalents) -> HeldOut:
    """Return statements of relations that are not under test.

    Raises:
        BadInput: no statement is labelled, or none is of another relation.
    """
    statements = list(data.source())
    if all(statement.relation is None for statement in statements):
        raise BadInput(f"{data.path or data.name}: expected labelled statements of other relations, got no label")
    others = hold_out(statements, tested, equivalents=equivalents)
    if not others.statements:
        raise BadInput(
            f"{data.path or data.name}: expected labelled statements of other relations, got only those of the "
            f"{others.left_out} relations under test"
        )
    return others


def place_crowd(space: JudgedSpace, others: HeldOut) -> HubnessCorrection:
    """Return the correction, in the space that candidate relations are compared in."""
    return HubnessCorrection(space.statements(others.statements))


def crowd_json(crowd: HubnessCorrection, others: HeldOut) -> dict[str, Any]:
    """Return which statements were used, and how much their closeness counts."""
    return others.as_json() | {"weight": crowd.weight, "share": crowd.share}
