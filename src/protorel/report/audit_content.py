"""What an audit says, for the page: the scores of the statements on the map, and the section of labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from protorel.audit import Audit
from protorel.evaluation import Measurement, auroc
from protorel.io import BadInput
from protorel.report.content import AuditedLabels, LabelCheck, RelationLabels, WorstLabel
from protorel.statements import Statement

WORST = 50
_EXPLANATION = (
    "The label score estimates the probability that a label is right: 0 is certainly wrong, 1 certainly right. "
    "A label issue is a label that is more probably wrong than right."
)


def audited_labels(audit: Audit, statements: Sequence[Statement], rows: Sequence[int], *, where: str) -> AuditedLabels:
    """Return what an audit says of some statements of the data that it is an audit of.

    Args:
        audit: The audit.
        statements: All statements of the data.
        rows: The statements of the map, by their numbers in the data.
        where: The name of the audit, for messages.

    Raises:
        BadInput: it is an audit of other data.
    """
    table = audit.table
    places = np.full(len(statements), -1, dtype=np.int64)
    columns = [table[name].to_pylist() for name in ("row", "id", "text", "given_label")]
    for place, (row, name, text, label) in enumerate(zip(*columns, strict=True)):
        same = 0 <= row < len(statements) and statements[row].text == text and statements[row].id == (name or "")
        if not same or (statements[row].relation or label) != label:
            raise BadInput(
                f"{where}: expected an audit of the statements in --data, got one of others (its row {row} differs). "
                "Run `protorel audit` on these data."
            )
        places[row] = place
    own = places[np.asarray(rows, dtype=np.int64)]
    known = own >= 0
    scores = np.where(known, audit.scores[own], np.nan) if len(audit) else np.full(len(own), np.nan)
    issues = np.asarray(table["is_label_issue"].to_pylist(), dtype=bool)
    predicted, reasons = (table[name].to_pylist() for name in ("predicted_label", "reason"))
    return AuditedLabels(
        scores=scores,
        issues=np.where(known, issues[own], False) if len(issues) else np.zeros(len(own), dtype=bool),
        predicted=[predicted[place] or "" if place >= 0 else "" for place in own.tolist()],
        reasons=[reasons[place] if place >= 0 else "" for place in own.tolist()],
    )


def label_check(
    audit: Audit, *, says: Callable[[Statement], str | None] | None = None, worst: int = WORST
) -> LabelCheck:
    """Return the section of labels of an audit.

    Args:
        audit: The audit.
        says: Returns what a sentence really says, in words, where that is known.
        worst: How many of the most suspicious labels to show.
    """
    table = audit.table
    scores = audit.scores
    truth = table["expresses"].to_pylist()
    groups: Mapping[str, NDArray[np.float64]] = {
        name: scores[[one is value for one in truth]] if len(scores) else scores
        for name, value in (("true", True), ("false", False), ("unchecked", None))
    }
    shown = list(range(min(worst, len(audit))))
    predicted = table["predicted_label"].to_pylist()
    reasons = table["reason"].to_pylist()
    labels = [
        WorstLabel(
            statement,
            float(scores[place]),
            looks_like=predicted[place] if predicted[place] and predicted[place] != statement.relation else "",
            reason=reasons[place],
            says=says(statement) if says is not None else None,
        )
        for place, statement in zip(shown, audit.statements(shown), strict=True)
    ]
    return LabelCheck(
        score_name="label score",
        explanation=_EXPLANATION,
        scores={name: group for name, group in groups.items() if len(group)},
        worst=labels,
        auroc=_area(groups),
        threshold=0.5,
        relations=[
            RelationLabels(
                row["relation"],
                row["statements"],
                row["label_issues"],
                row["estimated_wrong"],
                row["confused_with"] or "",
            )
            for row in audit.relations.to_pylist()
        ],
        note=f"{audit.label_issues:,} of {len(audit):,} labels are label issues; by the scores, about "
        f"{float((1 - scores).sum()):,.0f} are wrong.",
    )


def relation_names(audit: Audit) -> dict[str, str]:
    """Return the names of relations that an audit knows."""
    return {row["relation"]: row["name"] for row in audit.relations.select(["relation", "name"]).to_pylist()}


def _area(groups: Mapping[str, NDArray[np.float64]]) -> Measurement | None:
    """Return how well the scores tell labels that are known to be true from those known to be wrong."""
    true, false = groups["true"], groups["false"]
    if not len(true) or not len(false):
        return None
    return auroc(np.concatenate([true, false]), np.repeat([True, False], [len(true), len(false)]))
