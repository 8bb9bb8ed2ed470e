"""Figures over pairs of one sentence: calibration error, false positives at a recall, and direction."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.extraction.document_samples import DocumentSamples, divide
from protorel.evaluation.extraction.scored_pairs import ScoredPairs
from protorel.evaluation.measurement import Measurement, as_numbers, bootstrap_measurement
from protorel.model import answered, calibration_error

BINS = 15
"""Bins of the calibration error, of equal width."""
RECALL = 0.5
"""The share of related pairs that must be found where false positives are counted."""


def answer_calibration(pairs: ScoredPairs, samples: DocumentSamples) -> Measurement:
    """Return the expected calibration error of the answers of `predict`, none included, over documents."""
    sure, right = answered(pairs.relations.astype(np.float64), pairs.none, pairs.labels)
    bin_of = np.minimum((sure * BINS).astype(np.int64), BINS - 1)
    cells = np.bincount(
        pairs.documents * BINS + bin_of, weights=right - sure, minlength=samples.documents * BINS
    ).reshape(-1, BINS)
    counts = samples.per_document(np.ones(len(pairs)), pairs.documents)
    resampled = divide(np.abs(samples.weights @ cells).sum(axis=1), samples.weights @ counts)
    return bootstrap_measurement(calibration_error(sure, right, bins=BINS), resampled, count=samples.documents)


@dataclass(frozen=True, slots=True)
class FalsePositives:
    """How many pairs without a fact are asserted where half of those with one are found."""

    share: Measurement
    """The share of the pairs without a fact; NaN if the recall is out of reach, and the others are None."""
    threshold: float | None
    recall: float | None

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {"share": as_numbers(self.share), "threshold": self.threshold, "recall": self.recall}


def false_positives_at(
    pairs: ScoredPairs, samples: DocumentSamples, *, right_relation: bool, recall: float = RECALL
) -> FalsePositives:
    """Return the share of pairs without a fact that are asserted at the threshold that reaches a recall.

    The threshold is chosen again in every bootstrap sample.

    Args:
        pairs: The pairs; a pair is asserted if its most probable relation reaches the threshold.
        samples: Bootstrap samples of their documents.
        right_relation: Whether a related pair is found only by a relation that it holds.
        recall: The share of the related pairs to find.
    """
    related = pairs.related
    best = pairs.relations.max(axis=1)
    own = np.where(pairs.labels, pairs.relations, -1.0).max(axis=1) if right_relation else best
    score = np.where(related, own, best)
    order = np.argsort(-score, kind="stable")
    score, found, documents = score[order], related[order], pairs.documents[order]
    # Equal scores are asserted together; a score below 0 is never asserted.
    last = np.append(score[1:] != score[:-1], True) & (score >= 0)

    def at(weights: NDArray[np.float64]) -> tuple[float, int]:
        each = weights[documents]
        positives, negatives = np.cumsum(each * found), np.cumsum(each * ~found)
        reached = np.flatnonzero(last & (positives >= recall * positives[-1]) & (positives > 0))
        if not len(reached) or not negatives[-1]:
            return float("nan"), -1
        place = int(reached[0])
        return float(negatives[place] / negatives[-1]), place

    share, place = at(np.ones(samples.documents))
    resampled = np.asarray([at(weights)[0] for weights in samples.weights])
    return FalsePositives(
        bootstrap_measurement(share, resampled, count=samples.documents),
        float(score[place]) if place >= 0 else None,
        float(found[: place + 1].sum() / found.sum()) if place >= 0 else None,
    )


@dataclass(frozen=True, slots=True)
class Direction:
    """How often an asserted relation has head and tail the right way round."""

    right: Measurement
    asserted: int
    """Asserted asymmetric relations that hold in exactly one order of the pair."""

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {"right": as_numbers(self.right), "asserted": self.asserted}


def direction(
    pairs: ScoredPairs, samples: DocumentSamples, *, threshold: float, symmetric: Collection[str]
) -> Direction:
    """Return the share of asserted relations in the right order, where the relation holds in exactly one.

    Args:
        pairs: The pairs; those whose other order is missing are not counted.
        samples: Bootstrap samples of their documents.
        threshold: The probability from which on a relation is asserted.
        symmetric: Relations that hold in both orders, which are not counted.
    """
    reverse = reverse_rows(pairs)
    rows = np.flatnonzero(reverse >= 0)
    one_way = np.asarray([name not in symmetric for name in pairs.names])
    here, there = pairs.labels[rows], pairs.labels[reverse[rows]]
    counted = (pairs.relations[rows] >= threshold) & (here != there) & one_way
    documents = pairs.documents[rows]
    right = samples.per_document((counted & here).sum(axis=1), documents)
    total = samples.per_document(counted.sum(axis=1), documents)
    return Direction(samples.ratio(right, total), int(total.sum()))


def reverse_rows(pairs: ScoredPairs) -> NDArray[np.int64]:
    """Return for each pair the row of the same mentions with head and tail swapped, or -1."""
    place = {
        (int(document), one.text, one.head, one.tail): row
        for row, (document, one) in enumerate(zip(pairs.documents, pairs.statements, strict=True))
    }
    return np.asarray(
        [
            place.get((int(document), one.text, one.tail, one.head), -1)
            for document, one in zip(pairs.documents, pairs.statements, strict=True)
        ],
        dtype=np.int64,
    )
