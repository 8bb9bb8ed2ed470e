"""The score that chooses the epoch of a training for text: micro F1 over pairs and relations at the best threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.batches import TrainingRows
from protorel.statements import BadInput, Equivalents


@dataclass(frozen=True, slots=True)
class BestThreshold:
    """The threshold on logits with the highest micro F1, and what is reached there."""

    logit: float
    f1: float
    precision: float
    recall: float

    @property
    def probability(self) -> float:
        """The threshold on d, which is between 0 and 1."""
        return float(1 / (1 + np.exp(-self.logit)))


def best_threshold(
    logits: NDArray[np.floating[Any]], held: NDArray[np.bool_], *, gold: int | None = None
) -> BestThreshold:
    """Return the one threshold for all pairs and relations whose micro F1 is the highest.

    Args:
        logits: A score for each pair and relation; those at or above the threshold count as asserted.
        held: Whether the relation holds.
        gold: How many labels there are, if more than `held` has: of relations that cannot be asserted.
    """
    gold = int(held.sum()) if gold is None else gold
    scores = logits.ravel()
    order = np.argsort(-scores, kind="stable")
    scores, right = scores[order], np.cumsum(held.ravel()[order])
    # Equal scores are asserted together: only the last of them can be the threshold.
    last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))
    asserted = last + 1
    f1 = 2 * right[last] / (asserted + gold)
    best = int(np.argmax(f1))
    found = int(right[last[best]])
    return BestThreshold(
        float(scores[last[best]]), float(f1[best]), found / int(asserted[best]), found / gold if gold else 0.0
    )


@dataclass(frozen=True, slots=True)
class ExtractionDev:
    """Tokenised pairs with all their labels.

    Only relations that the dev data label are scored: whether others hold is unknown.
    """

    rows: TrainingRows
    pairs: NDArray[np.int64]
    """The first row of each pair."""
    columns: NDArray[np.int64]
    """The trained relations that the dev data label."""
    held: NDArray[np.bool_]
    """Whether each of them holds for each pair."""
    gold: int
    """The labels, those of relations that were not trained included."""
    never_trained: tuple[str, ...]
    fingerprint: str
    shared: int = 0
    """How many of its statements are training statements too."""

    @classmethod
    def of(
        cls,
        rows: TrainingRows,
        trained: Sequence[str],
        equivalents: Equivalents,
        *,
        fingerprint: str,
        shared: int = 0,
    ) -> ExtractionDev:
        """Collect the labels of each pair."""
        labelled = [name for name in rows.names if equivalents.meaning(name)]
        common = [name for name in labelled if name in set(trained)]
        if not common:
            raise BadInput("--dev: expected labels of the training data, got none of them")
        pairs = np.unique(rows.groups, return_index=True)[1].astype(np.int64)
        labels = rows.labels(pairs.tolist()).numpy()
        place = {name: number for number, name in enumerate(rows.names)}
        return cls(
            rows,
            pairs,
            np.asarray([list(trained).index(name) for name in common], dtype=np.int64),
            labels[:, [place[name] for name in common]],
            int(labels[:, [place[name] for name in labelled]].sum()),
            tuple(name for name in labelled if name not in set(common)),
            fingerprint,
            shared,
        )

    def as_json(self) -> dict[str, Any]:
        """Return the section `dev` of a run's record."""
        related = int(self.held.any(1).sum())
        return {
            "fingerprint": self.fingerprint,
            "held_out": False,
            "statements": len(self.pairs),
            "related": related,
            "labels": self.gold,
            "relations": len(self.columns),
            "rejected": len(self.rows.rejected),
            "shared_with_training": self.shared,
            "labels_never_trained": list(self.never_trained),
        }
