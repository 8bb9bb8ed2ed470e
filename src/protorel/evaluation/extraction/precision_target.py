"""Does a precision that was asked for hold on new documents? Counted over resamples of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from protorel.evaluation.extraction.document_samples import DocumentSamples, divide
from protorel.evaluation.extraction.scored_pairs import ScoredPairs
from protorel.evaluation.measurement import Measurement, as_numbers
from protorel.model import Calibration
from protorel.statements import BadInput

RESAMPLES = 20
LEAST_ASSERTED = 0.15
"""The share of the related pairs that must be asserted for a target to count as held."""


@dataclass(frozen=True, slots=True)
class PrecisionTarget:
    """What `min_precision` gives on the evaluated pairs."""

    asked: float
    refused: str | None
    """Why the model refused; None if it did not."""
    threshold: float | None
    precision: Measurement | None
    """Of the asserted (pair, relation) answers."""
    pairs_asserted: Measurement | None
    """The share of related pairs of which a right relation is asserted."""
    labels_asserted: Measurement | None
    """The share of labels that are asserted."""
    resamples: int
    held: int
    """Resamples where the interval reaches the target, and enough related pairs are asserted."""
    held_by_value: int
    """The same for the precision itself."""

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        figures = {name: getattr(self, name) for name in ("precision", "pairs_asserted", "labels_asserted")}
        return {
            "asked": self.asked,
            "refused": self.refused,
            "threshold": self.threshold,
            **{name: None if one is None else as_numbers(one) for name, one in figures.items()},
            "least_asserted": LEAST_ASSERTED,
            "resamples": self.resamples,
            "held": self.held,
            "held_by_value": self.held_by_value,
        }


def precision_target(
    calibration: Calibration,
    pairs: ScoredPairs,
    samples: DocumentSamples,
    *,
    asked: float,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> PrecisionTarget:
    """Return what a precision that is asked for gives, and in how many resamples of documents it holds.

    It holds in a resample if the upper end of the resample's own 95 % interval over documents reaches it while at
    least 15 % of the related pairs are asserted. A refusal holds in none.

    Args:
        calibration: The calibration whose held-out answers choose the threshold.
        pairs: The evaluated pairs.
        samples: Bootstrap samples of their documents, for the intervals.
        asked: The precision.
        resamples: How many resamples of the documents to count.
        seed: Random seed for the resamples.
    """
    try:
        threshold, _ = calibration.threshold_for(asked)
    except BadInput as problem:
        return PrecisionTarget(asked, str(problem), None, None, None, None, resamples, 0, 0)
    asserted = pairs.relations >= threshold
    right = asserted & pairs.labels

    def of(values: ArrayLike) -> NDArray[np.float64]:
        return samples.per_document(values, pairs.documents)

    given, hits = of(asserted.sum(axis=1)), of(right.sum(axis=1))
    found, related = of(right.any(axis=1)), of(pairs.related)
    labels = of(pairs.labels.sum(axis=1) + pairs.unknown)
    rng = np.random.default_rng([seed, samples.documents, resamples])
    held = held_by_value = 0
    for _ in range(resamples):
        drawn = rng.integers(samples.documents, size=samples.documents)
        enough = divide(found[drawn].sum(), related[drawn].sum()) >= LEAST_ASSERTED
        redrawn = divide(samples.weights @ hits[drawn], samples.weights @ given[drawn])
        redrawn = redrawn[~np.isnan(redrawn)]
        upper = float(np.quantile(redrawn, 0.975)) if len(redrawn) else float("nan")
        held += bool(enough and upper >= asked)
        held_by_value += bool(enough and divide(hits[drawn].sum(), given[drawn].sum()) >= asked)
    return PrecisionTarget(
        asked,
        None,
        threshold,
        samples.ratio(hits, given),
        samples.ratio(found, related),
        samples.ratio(hits, labels),
        resamples,
        held,
        held_by_value,
    )
