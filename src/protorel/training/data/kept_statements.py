"""The training statements that a run keeps as evidence: which ones, and their vectors by the finished encoder."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import TrainingRows
from protorel.io import printable, shown
from protorel.model import BATCH_TOKENS, RelationModel, TrainingStatements, write_training_statements
from protorel.statements import BadInput, Statement, StatementSource

_AT_ONCE = 8_192
"""Statements whose vectors are in memory at a time."""
_LOGGER = logging.getLogger("protorel")


def as_most_kept(given: bool | int) -> int:
    """Return how many statements are kept at most; 0: none.

    Raises:
        BadInput: `given` is neither True, False nor a whole number of at least 1.
    """
    if isinstance(given, bool):
        return sys.maxsize if given else 0
    if not isinstance(given, int) or given < 1:
        raise BadInput(
            f"keep_statements: expected True, False or a whole number of at least 1, got {printable(shown(given))}"
        )
    return given


def count_distinct(rows: TrainingRows, among: NDArray[np.int64]) -> int:
    """Return the number of different statements among some rows, those with several labels once per label."""
    return len(_distinct(rows, among))


def rows_to_keep(rows: TrainingRows, among: NDArray[np.int64], most: int, *, seed: int) -> NDArray[np.int64]:
    """Return the rows to keep, in order: all that differ, or a sample of `most` that is even over labels.

    Every label gets the same number; what a label with few statements leaves over goes to the others.
    """
    distinct = _distinct(rows, among)
    if len(distinct) <= most:
        return distinct
    rng = np.random.default_rng([seed, most])
    # A random order within each label: the place of a row in it says in which round the row is dealt.
    shuffled = rng.permutation(distinct)
    by_label = np.argsort(rows.relations[shuffled], kind="stable")
    labels = rows.relations[shuffled][by_label]
    starts = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1]])
    rounds = np.arange(len(labels)) - np.repeat(starts, np.diff(np.r_[starts, len(labels)]))
    dealt = shuffled[by_label][np.lexsort((rng.random(len(labels)), rounds))]
    return np.sort(dealt[:most])


def _distinct(rows: TrainingRows, among: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first row of each statement with each of its labels, in order."""
    keys = rows.groups[among].astype(np.int64) * (len(rows.names) + 1) + rows.relations[among] + 1
    first: NDArray[np.int64] = np.sort(np.unique(keys, return_index=True)[1])
    return among[first]


def keep_statements(
    model: RelationModel, source: StatementSource, rows: TrainingRows, kept: NDArray[np.int64], folder: Path
) -> TrainingStatements:
    """Write some training statements and their vectors into a folder, a few thousand at a time.

    Args:
        model: The trained model.
        source: The statements that `rows` were made from.
        rows: The tokenised statements.
        kept: The rows to keep, in order.
        folder: A folder that exists.
    """
    _LOGGER.info("encoding %d training statements to keep", len(kept))

    def vectors() -> Iterator[Float[Tensor, "some width"]]:
        for start in range(0, len(kept), _AT_ONCE):
            chosen = kept[start : start + _AT_ONCE].tolist()
            yield model.encode_rows(rows.rows, indices=chosen, batch_tokens=BATCH_TOKENS)

    return write_training_statements(
        folder,
        _at(source, rows.origins[kept]),
        vectors(),
        count=len(kept),
        width=model.encoder.width,
        encoder=model.fingerprint,
    )


def _at(source: StatementSource, numbers: NDArray[np.int64]) -> Iterator[Statement]:
    """Yield the statements at some places of a source, counted from 0, in order."""
    place = 0
    for number, statement in enumerate(source()):
        if place == len(numbers):
            return
        if number == numbers[place]:
            place += 1
            yield statement
