"""All figures of one model on natural pairs, as values and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from protorel.evaluation.extraction.document_samples import DocumentSamples, Numbers
from protorel.evaluation.extraction.pair_figures import (
    Direction,
    FalsePositives,
    answer_calibration,
    direction,
    false_positives_at,
)
from protorel.evaluation.extraction.precision_target import PrecisionTarget, precision_target
from protorel.evaluation.extraction.scored_pairs import ScoredPairs
from protorel.evaluation.extraction.settings import ExtractionSettings
from protorel.evaluation.extraction.triples import (
    MicroScores,
    calibrated_f1_threshold,
    merged_by_document,
    micro_scores,
)
from protorel.evaluation.measurement import Measurement, as_numbers
from protorel.model import ASSERTED, Calibration


@dataclass(frozen=True, slots=True)
class TripleFigures:
    """Precision, recall and F1 at one threshold."""

    chosen_by: str
    """`probability`: asserted from 0.5 on; `f1`: the threshold with the highest F1 on other pairs."""
    sentences: MicroScores
    """Of (pair, relation) in each sentence."""
    documents: MicroScores
    """Of (head entity, tail entity, relation) in each document, against facts whose entities share a sentence."""
    all_facts: MicroScores | None
    """The same against all facts; None if their number is not known."""

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {
            "chosen_by": self.chosen_by,
            "sentences": self.sentences.as_json(),
            "documents": self.documents.as_json(),
            "all_facts": None if self.all_facts is None else self.all_facts.as_json(),
        }


def triple_figures(
    pairs: ScoredPairs, samples: DocumentSamples, *, threshold: float, chosen_by: str, missing: Numbers | None
) -> TripleFigures:
    """Return strict precision, recall and F1 at one threshold.

    Args:
        pairs: The pairs of each sentence.
        samples: Bootstrap samples of their documents.
        threshold: The probability from which on a relation is asserted.
        chosen_by: How the threshold was chosen.
        missing: Facts of each document whose entities share no sentence; None if that is not known.
    """
    merged = merged_by_document(pairs)
    whole = None if missing is None else micro_scores(merged, samples, threshold=threshold, missing=missing)
    return TripleFigures(
        chosen_by,
        micro_scores(pairs, samples, threshold=threshold),
        micro_scores(merged, samples, threshold=threshold),
        whole,
    )


@dataclass(frozen=True, slots=True)
class ExtractionFigures:
    """What a model with some candidate relations reaches on natural pairs."""

    pairs: int
    documents: int
    relations: int
    none_share: float
    """The share of pairs without a candidate relation."""
    unknown: int
    """Labels of relations that are not candidates."""
    calibration_error: Measurement
    target: PrecisionTarget
    false_positives: FalsePositives
    """A related pair is found by any relation."""
    false_positives_right: FalsePositives
    """A related pair is found by a relation that it holds."""
    direction: Direction
    triples: tuple[TripleFigures, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {
            "pairs": self.pairs,
            "documents": self.documents,
            "relations": self.relations,
            "none_share": self.none_share,
            "unknown_labels": self.unknown,
            "calibration_error": as_numbers(self.calibration_error),
            "min_precision": self.target.as_json(),
            "false_positives": {
                "any_relation": self.false_positives.as_json(),
                "right_relation": self.false_positives_right.as_json(),
            },
            "direction": self.direction.as_json(),
            "triples": [one.as_json() for one in self.triples],
        }


def extraction_figures(
    pairs: ScoredPairs,
    calibration: Calibration,
    samples: DocumentSamples,
    settings: ExtractionSettings,
    *,
    missing: Numbers | None,
) -> ExtractionFigures:
    """Return all figures of scored pairs.

    Args:
        pairs: The pairs, with probabilities.
        calibration: The maps that the probabilities come from; its held-out answers choose thresholds.
        samples: Bootstrap samples of the documents.
        settings: Precision asked for, resamples, symmetric relations.
        missing: Facts of each document whose entities share no sentence; None if that is not known.
    """
    thresholds = {"probability": ASSERTED}
    if (best := calibrated_f1_threshold(calibration)) is not None:
        thresholds["f1"] = best
    return ExtractionFigures(
        pairs=len(pairs),
        documents=samples.documents,
        relations=len(pairs.names),
        none_share=float(1 - pairs.labels.any(axis=1).mean()),
        unknown=int(pairs.unknown.sum()),
        calibration_error=answer_calibration(pairs, samples),
        target=precision_target(
            calibration,
            pairs,
            samples,
            asked=settings.min_precision,
            resamples=settings.resamples,
            seed=settings.seed,
        ),
        false_positives=false_positives_at(pairs, samples, right_relation=False),
        false_positives_right=false_positives_at(pairs, samples, right_relation=True),
        direction=direction(pairs, samples, threshold=ASSERTED, symmetric=settings.symmetric),
        triples=tuple(
            triple_figures(pairs, samples, threshold=threshold, chosen_by=name, missing=missing)
            for name, threshold in thresholds.items()
        ),
    )


def spread_over(pairs: ScoredPairs, samples: DocumentSamples, *, all_facts: int) -> Numbers:
    """Return the facts that no pair holds, where only their total is known: in proportion to a document's others.

    Args:
        pairs: The pairs of each sentence.
        samples: Bootstrap samples of their documents.
        all_facts: The number of all facts of the documents.
    """
    merged = merged_by_document(pairs)
    gold = samples.per_document(merged.labels.sum(axis=1) + merged.unknown, merged.documents)
    others = max(all_facts - float(gold.sum()), 0.0)
    return gold * (others / max(float(gold.sum()), 1.0))
