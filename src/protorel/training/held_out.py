"""Statements that choose the epoch: held out from the data by seed, or from a file of their own."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.batches import StatementTokenizer, TokenRows, TrainingRows, training_rows
from protorel.statements import BadInput, Selection

_NAMED = 5
"""How many labels a line names before it only counts."""


class TuningWarning(UserWarning):
    """Something in the data makes a tuned model's scores look better or worse than they are."""


@dataclass(frozen=True, slots=True)
class DevSet:
    """Tokenised statements with the labels that they are known to have."""

    rows: TokenRows
    indices: NDArray[np.int64]
    """The rows that are meant."""
    gold: tuple[str, ...]
    fingerprint: str | None = None
    """Of a file of their own."""
    shared: int = 0
    """How many of them are training statements too."""
    never_trained: tuple[str, ...] = ()
    """Labels that the training data never show."""
    rejected: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return what a run's record says of it."""
        return {
            "fingerprint": self.fingerprint,
            "held_out": self.fingerprint is None,
            "statements": len(self.indices),
            "rejected": self.rejected,
            "shared_with_training": self.shared,
            "labels_never_trained": list(self.never_trained),
        }


def hold_out(rows: TrainingRows, count: int, *, seed: int) -> tuple[NDArray[np.int64], DevSet | None]:
    """Divide rows into those to train on and `count` to choose by; none to choose by if `count` is 0.

    Of each label one statement stays in training. A statement under two labels goes one way with both.
    """
    if not count:
        return np.arange(len(rows)), None
    order = np.random.default_rng([seed, 5]).permutation(len(rows))
    _, firsts = np.unique(rows.relations[order], return_index=True)
    staying = set(rows.groups[order[firsts]].tolist())
    free = [group for group in dict.fromkeys(rows.groups[order].tolist()) if group not in staying]
    sizes = np.bincount(rows.groups)
    total = np.cumsum([sizes[group] for group in free])
    if not len(total) or total[-1] < count:
        most = int(total[-1]) if len(total) else 0
        raise BadInput(
            f"hold_out={count}: of these {len(rows)} statements {most} at most can be held out, "
            "since one of each label must stay; give a lower number, or a --dev file"
        )
    chosen = free[: int(np.searchsorted(total, count)) + 1]
    is_held = np.isin(rows.groups, chosen)
    held = np.flatnonzero(is_held)
    gold = tuple(rows.names[label] for label in rows.relations[held].tolist())
    return np.flatnonzero(~is_held), DevSet(rows.rows, held, gold)


def dev_set(
    dev: Selection, train: Selection, tokenizer: StatementTokenizer, *, max_length: int, labels: Sequence[str]
) -> DevSet:
    """Open a file of statements to choose by; warn of statements and labels that make its score mean less."""
    if not dev.counts:
        raise BadInput("the --dev file holds no labelled statement")
    rows = training_rows(dev.source, tokenizer, max_length=max_length, data_fingerprint=dev.fingerprint)
    if len(rows) == 0:
        raise BadInput(f"none of the --dev statements can be used; the first: {rows.rejected[0]['reason']}")
    trained = {statement.key for statement in train.source() if statement.relation is not None}
    shared = sum(statement.key in trained for statement in dev.source() if statement.relation is not None)
    if shared:
        warnings.warn(
            f"{shared} of the {sum(dev.counts.values())} dev statements are training statements too, "
            "so the dev score is too high",
            TuningWarning,
            stacklevel=2,
        )
    gold = tuple(rows.names[label] for label in rows.relations.tolist())
    unseen = Counter(label for label in gold if label not in set(labels))
    if unseen:
        named = ", ".join(map(repr, list(unseen)[:_NAMED])) + (", …" if len(unseen) > _NAMED else "")
        warnings.warn(
            f"{unseen.total()} of the {len(gold)} dev statements carry {len(unseen)} labels that the training data "
            f"never show ({named}); they can never be answered and count as wrong",
            TuningWarning,
            stacklevel=2,
        )
    everything = np.arange(len(rows))
    return DevSet(rows.rows, everything, gold, dev.fingerprint, shared, tuple(unseen), len(rows.rejected))
