"""The columns of an audit: those of a statement, cleanlab's four, the reason, and one column per piece of evidence."""

from __future__ import annotations

import pyarrow as pa

from protorel.statements import SCHEMA

FORMAT_VERSION = 1
VERSION_KEY = b"protorel.audit.version"
ID_KEY = b"protorel.audit.id"
"""The key of the audit's id in the metadata of `audit.parquet`: judgements name the audit that they are for."""

EVIDENCE: dict[str, tuple[pa.DataType, str]] = {
    "cross_fitted_probability": (pa.float32(), "probability of the label by a classifier that never saw it"),
    "cross_fitted_margin": (pa.float32(), "cosine to the mean of the label's other folds less the closest other mean"),
    "in_sample_margin": (pa.float32(), "cosine to the run's prototype of the label less the closest other prototype"),
    "neighbour_agreement": (pa.float32(), "share of the nearest statements, by similarity, that have the same label"),
    "description_fit": (pa.float32(), "cosine to the label's description less the mean cosine to all descriptions"),
    "reverse_probability": (pa.float32(), "probability of the label, read from tail to head, by the same classifier"),
    "learned_step": (pa.float32(), "step of the training from which on the margin stayed positive; infinite: never"),
    "mean_margin": (pa.float32(), "mean margin over the training"),
    "variability": (pa.float32(), "standard deviation of the margin over the training"),
    "pair_relations": (pa.int32(), "number of relations that the data gives this pair of entities"),
    "duplicate_conflicts": (pa.int32(), "number of near-duplicates about the same pair, if all have other labels"),
    "type_share": (pa.float32(), "share of the label's statements that have these entity types"),
    "wording_confidence": (pa.float32(), "confidence of the label's best word pattern in the text, by other pairs"),
}
"""Type and meaning of each piece of evidence; null where there is nothing to measure it by."""

AUDIT_SCHEMA = pa.schema(
    [
        pa.field("row", pa.int64(), nullable=False),  # in the data, from 0
        *SCHEMA,
        pa.field("given_label", pa.string(), nullable=False),
        pa.field("predicted_label", pa.string()),
        pa.field("label_score", pa.float32(), nullable=False),  # 0 to 1, low: wrong
        pa.field("is_label_issue", pa.bool_(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("scored_by", pa.string(), nullable=False),
        *(pa.field(name, kind) for name, (kind, _) in EVIDENCE.items()),
    ],
    metadata={VERSION_KEY: str(FORMAT_VERSION).encode()},
)
"""One row per statement, the most suspicious first."""

RELATION_SCHEMA = pa.schema(
    [
        pa.field("relation", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("statements", pa.int64(), nullable=False),
        pa.field("label_issues", pa.int64(), nullable=False),
        pa.field("estimated_wrong", pa.float64(), nullable=False),  # the sum of 1 - label_score
        pa.field("confused_with", pa.string()),  # the relation that its issues look like most often
        pa.field("confused", pa.int64(), nullable=False),  # how many of its issues look like that one
        pa.field("scored_by", pa.string(), nullable=False),
    ]
)
"""One row per relation, the one with the highest share of wrong labels first."""
SCORED_BY = ("prototype", "description", "means")
"""What stands for a relation in `scored_by`: the run's prototype, its description, or the mean of its statements."""
