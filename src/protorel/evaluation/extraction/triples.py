"""Strict precision, recall and F1: of relations of pairs in a sentence, and of triples of a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.evaluation.extraction.document_samples import DocumentSamples, Numbers, divide
from protorel.evaluation.extraction.scored_pairs import ScoredPairs
from protorel.evaluation.measurement import Measurement, as_numbers, bootstrap_measurement
from protorel.model import Calibration


@dataclass(frozen=True, slots=True)
class MicroScores:
    """Micro-averaged precision, recall and F1 at a threshold, with intervals over documents."""

    threshold: float
    precision: Measurement
    recall: Measurement
    f1: Measurement
    asserted: int
    right: int
    gold: int
    """Labels, or facts whose entities share a sentence; those of relations that are not candidates are missed."""

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        figures = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return {
            "threshold": self.threshold,
            **{name: as_numbers(figure) for name, figure in figures.items()},
            "asserted": self.asserted,
            "right": self.right,
            "gold": self.gold,
        }


def micro_scores(
    pairs: ScoredPairs, samples: DocumentSamples, *, threshold: float, missing: Numbers | None = None
) -> MicroScores:
    """Return precision, recall and F1 of the relations asserted at a threshold.

    Args:
        pairs: Pairs of a sentence, or of a document after `merged_by_document`.
        samples: Bootstrap samples of their documents.
        threshold: The probability from which on a relation is asserted.
        missing: Further facts of each document, which no pair holds; they count as missed.
    """
    asserted = pairs.relations >= threshold
    given = samples.per_document(asserted.sum(axis=1), pairs.documents)
    right = samples.per_document((asserted & pairs.labels).sum(axis=1), pairs.documents)
    gold = samples.per_document(pairs.labels.sum(axis=1) + pairs.unknown, pairs.documents)
    return document_scores(samples, threshold, given, right, gold if missing is None else gold + missing)


def document_scores(
    samples: DocumentSamples, threshold: float, given: Numbers, right: Numbers, gold: Numbers
) -> MicroScores:
    """Return precision, recall and F1 from the numbers of asserted, right and true triples of each document."""
    f1 = bootstrap_measurement(
        float(divide(2 * right.sum(), given.sum() + gold.sum())),
        divide(2 * samples.weights @ right, samples.weights @ (given + gold)),
        count=samples.documents,
    )
    return MicroScores(
        threshold,
        samples.ratio(right, given),
        samples.ratio(right, gold),
        f1,
        int(given.sum()),
        int(right.sum()),
        int(gold.sum()),
    )


def merged_by_document(pairs: ScoredPairs) -> ScoredPairs:
    """Join the sentences of a pair in a document: a triple's score is its highest, and its labels are joined.

    Entities are told apart by their ids or, without one, by their mention.
    """
    keys: dict[tuple[int, str, str], int] = {}
    group = np.empty(len(pairs), dtype=np.int64)
    for row, (document, one) in enumerate(zip(pairs.documents.tolist(), pairs.statements, strict=True)):
        head = one.head_id or one.text[one.head.start : one.head.stop]
        tail = one.tail_id or one.text[one.tail.start : one.tail.stop]
        group[row] = keys.setdefault((document, head, tail), len(keys))
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(group[order]) > 0))
    first = order[starts]
    return replace(
        pairs,
        relations=np.maximum.reduceat(pairs.relations[order], starts, axis=0),
        none=np.minimum.reduceat(pairs.none[order], starts),
        labels=np.logical_or.reduceat(pairs.labels[order], starts, axis=0),
        unknown=np.maximum.reduceat(pairs.unknown[order], starts),
        documents=pairs.documents[first],
        statements=tuple(pairs.statements[row] for row in first),
    )


def best_f1_threshold(probability: NDArray[Any], right: NDArray[Any], *, gold: int) -> float:
    """Return the threshold with the highest F1.

    Args:
        probability: The probabilities of answers, in any order.
        right: Whether each answer is right.
        gold: How many labels there are.

    >>> best_f1_threshold(np.array([0.9, 0.4, 0.3, 0.2]), np.array([1, 1, 0, 0]), gold=2)
    0.4
    """
    order = np.argsort(-probability, kind="stable")
    ordered, hits = probability[order], np.cumsum(right[order])
    f1 = 2 * hits / (np.arange(1, len(ordered) + 1) + gold)
    # Equal probabilities are asserted together.
    f1[:-1][ordered[1:] == ordered[:-1]] = -1
    return float(ordered[int(f1.argmax())])


def calibrated_f1_threshold(calibration: Calibration) -> float | None:
    """Return the threshold with the highest F1 on the held-out pairs of a calibration; None without them."""
    curve = calibration.curve
    if curve is None or not curve.probability or calibration.none_share != calibration.measured_share:
        return None
    return best_f1_threshold(np.asarray(curve.probability), np.asarray(curve.right), gold=curve.labels)


def missing_facts(pairs: ScoredPairs, unreachable: Mapping[str, int]) -> Numbers:
    """Return how many facts of each document have no sentence with both entities.

    Args:
        pairs: The pairs; entity ids are `FILE:DOCUMENT#ENTITY`.
        unreachable: Numbers of such facts by `FILE:DOCUMENT`.
    """
    found = np.zeros(int(pairs.documents.max()) + 1)
    known = zip(pairs.documents.tolist(), pairs.statements, strict=True)
    for document, name in {(document, (one.head_id or "").rpartition("#")[0]) for document, one in known}:
        found[document] += unreachable.get(name, 0)
    return found
