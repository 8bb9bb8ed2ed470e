"""Evidence from the training itself: when each statement's label was learned, and how much its margin varied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from protorel.audit.relation_anchors import Vectors
from protorel.statements import BadInput, Statement
from protorel.training import has_training_dynamics, read_training_dynamics


@dataclass(frozen=True, slots=True)
class TrainingEvidence:
    """One number of each kind per statement; NaN for a statement that the training did not see (Swayamdipta 2020)."""

    learned_step: Vectors
    """The first step from which on the margin stayed positive; infinite where it was not at the last step."""
    mean_margin: Vectors
    variability: Vectors
    """The standard deviation of the margin."""


def training_evidence(run: Path, statements: Sequence[Statement]) -> TrainingEvidence | None:
    """Return what the training dynamics of a run say of these statements, found by their ids.

    None if the run has no dynamics, if ids repeat, or if it was trained on other statements.

    Raises:
        BadInput: the run's file of training dynamics is damaged.
    """
    ids = [one.id for one in statements]
    if not has_training_dynamics(run) or not all(ids) or len(set(ids)) < len(ids):
        return None
    table = read_training_dynamics(run)
    if missing := [name for name in ("id", "step", "margin") if name not in table.column_names]:
        raise BadInput(f"{run}: training dynamics: expected the columns id, step and margin, got no {missing[0]}")
    place = {id: number for number, id in enumerate(ids)}
    rows = np.asarray([place.get(id, -1) for id in table["id"].to_pylist()], dtype=np.int64)
    seen = rows >= 0
    if not seen.any():
        return None
    rows, steps, margins = rows[seen], table["step"].to_numpy()[seen], table["margin"].to_numpy()[seen]
    order = np.lexsort((steps, rows))
    rows, steps, margins = rows[order], steps[order], margins[order].astype(np.float64)
    starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
    counts = np.diff(np.r_[starts, len(rows)])
    means = np.add.reduceat(margins, starts) / counts
    squares = np.add.reduceat(np.square(margins - np.repeat(means, counts)), starts) / counts
    learned = np.empty(len(starts))
    for number, (start, count) in enumerate(zip(starts, counts, strict=True)):
        wrong = np.flatnonzero(margins[start : start + count] <= 0)
        first = 0 if not len(wrong) else int(wrong[-1]) + 1
        learned[number] = steps[start + first] if first < count else np.inf
    found = {}
    for name, values in {"learned_step": learned, "mean_margin": means, "variability": np.sqrt(squares)}.items():
        column = np.full(len(ids), np.nan, dtype=np.float32)
        column[rows[starts]] = values
        found[name] = column
    return TrainingEvidence(**found)
