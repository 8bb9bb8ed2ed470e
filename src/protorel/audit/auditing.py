"""The audit of a data set's labels: read, encode, grade, combine, explain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from protorel.audit.columns import AUDIT_SCHEMA, EVIDENCE, RELATION_SCHEMA
from protorel.audit.cross_fitting import PRIOR_SCALE, cross_fit
from protorel.audit.encoded_statements import EncodedStatements, encode_statements
from protorel.audit.label_audit import Audit
from protorel.audit.label_scores import WEIGHTS, ScoreCalibration, combined_scores, fit_calibration
from protorel.audit.labelled_rows import LabelledRows
from protorel.audit.neighbours import neighbour_agreement
from protorel.audit.reasons import Row, reason
from protorel.audit.relation_anchors import RelationAnchors
from protorel.audit.settings import AuditSettings
from protorel.audit.text_evidence import duplicate_conflicts, pair_relations, type_shares, wording_confidence
from protorel.audit.training_evidence import training_evidence
from protorel.evaluation import GivenModel, environment, loaded, run_json
from protorel.model import ModelSource
from protorel.statements import (
    SCHEMA,
    Descriptions,
    Equivalents,
    StatementsLike,
    as_data_set,
    load_equivalents,
    statement_table,
)

Columns = dict[str, NDArray[Any]]


def audit_labels(
    model: GivenModel,
    data: StatementsLike,
    *,
    settings: AuditSettings | None = None,
    descriptions: Descriptions | None = None,
    equivalents: Equivalents | None = None,
    count: Callable[[int, int], None] | None = None,
) -> Audit:
    """Score every label of a data set by how likely it is right, and say why.

    No label is graded by a classifier that was fitted to it: classifiers are cross-fitted on frozen vectors.
    Relations that the model has no prototype of are scored by their descriptions, or by their own statements.

    Args:
        model: A run folder, `protorel-small`, an encoder, or a loaded model. A run folder may also have training
            dynamics, which become evidence.
        data: Labelled statements in any form that `as_statements` accepts. Unlabelled ones are left out and counted.
            Where `expresses` is known for enough statements, scores are calibrated to it.
        settings: Folds, neighbours, and which evidence to gather.
        descriptions: Names and descriptions of relations. By default those that the model keeps with its prototypes, if
            it learned to read relations in words.
        equivalents: Relations that mean the same; by default the table that we ship.
        count: Called with the number of statements encoded so far, and of all.

    Returns:
        One row per labelled statement, the lowest score first; a table per relation; a summary.

    Raises:
        BadInput: a row is not a statement, there are no labels, or all labels are the same.

    Example:
        >>> from protorel import audit_labels
        >>> born = ["Ada was born in Lunsk.", "Bela was born in Mere.", "Cato, born in Veldt.", "Dora married Egon."]
        >>> wed = ["Fay married Gus.", "Hal married Ida.", "Joan wed Karl.", "Lea wed Max."]
        >>> names = [("Ada", "Lunsk"), ("Bela", "Mere"), ("Cato", "Veldt"), ("Dora", "Egon"), ("Fay", "Gus"),
        ...          ("Hal", "Ida"), ("Joan", "Karl"), ("Lea", "Max")]
        >>> rows = [{"text": text, "head": head, "tail": tail, "relation": "born_in" if text in born else "spouse"}
        ...         for text, (head, tail) in zip(born + wed, names)]
        >>> found = audit_labels("minilm", rows)
        >>> found.statements([0])[0].text, found.table["given_label"][0].as_py()
        ('Dora married Egon.', 'born_in')
    """
    settings, meanings = settings or AuditSettings(), equivalents or load_equivalents()
    data_set = as_data_set(data)
    labelled = LabelledRows.of(data_set)
    named = model.given if isinstance(model, ModelSource) else model
    run = Path(named) if isinstance(named, str | Path) else None
    dynamics = None if run is None else training_evidence(run, labelled.statements)
    held = loaded(model)
    anchors = RelationAnchors.of(held, labelled.relations, descriptions, meanings)
    encoded = encode_statements(
        held, labelled.statements, labelled.labels, anchors, reverse=settings.reverse, count=count
    )
    columns = _evidence(labelled, encoded, anchors, settings)
    for name in ("learned_step", "mean_margin", "variability"):
        columns[name] = np.full(len(labelled), np.nan) if dynamics is None else getattr(dynamics, name)
    calibration = _add_scores(columns, labelled)
    table = _table(columns, labelled, anchors)
    relations = _relation_table(table, labelled, anchors)
    known = [one.expresses for one in labelled.statements if one.expresses is not None]
    summary = {
        "task": "audit",
        "statements": len(labelled),
        "unlabelled": labelled.unlabelled,
        "relations": len(labelled.relations),
        "label_issues": int(np.sum(columns["is_label_issue"])),
        "estimated_wrong_share": float(1 - np.mean(columns["label_score"])),
        "known_wrong": known.count(False) if known else None,
        "known_right": known.count(True) if known else None,
        "scored_by": {kind: anchors.scored_by.count(kind) for kind in dict.fromkeys(anchors.scored_by)},
        "calibrated_on": calibration.judged,
        "weights": WEIGHTS,
        "prior_scale": PRIOR_SCALE,
        "settings": settings.as_json(),
        "descriptions": descriptions.as_json() if descriptions is not None else None,
        "data": data_set.described(),
        "run": run_json(held),
        **environment(),
    }
    return Audit(table, relations, summary)


def _evidence(
    labelled: LabelledRows, encoded: EncodedStatements, anchors: RelationAnchors, settings: AuditSettings
) -> Columns:
    graded = cross_fit(
        encoded.vectors,
        labelled.labels,
        labelled.folds(settings.folds, seed=settings.seed),
        relations=len(labelled.relations),
        texts=anchors.texts @ encoded.basis,
        reversed=encoded.reversed,
    )
    missing = np.full(len(labelled), np.nan, dtype=np.float32)
    backwards = graded.reverse_probability
    return {
        "cross_fitted_probability": graded.probability,
        "cross_fitted_margin": graded.margin,
        "predicted": graded.predicted,
        "reverse_probability": missing if backwards is None else backwards,
        "in_sample_margin": encoded.in_sample_margin,
        "description_fit": encoded.description_fit,
        "neighbour_agreement": neighbour_agreement(
            encoded.vectors, labelled.labels, labelled.sentences, neighbours=settings.neighbours
        ),
        "pair_relations": pair_relations(labelled.statements),
        "duplicate_conflicts": duplicate_conflicts(labelled.statements),
        "type_share": type_shares(labelled.statements),
        "wording_confidence": wording_confidence(labelled) if settings.wordings else missing,
    }


def _add_scores(columns: Columns, labelled: LabelledRows) -> ScoreCalibration:
    scores = combined_scores({name: columns[name].astype(np.float64) for name in WEIGHTS}, labelled.labels)
    truth = np.asarray([np.nan if one.expresses is None else float(one.expresses) for one in labelled.statements])
    calibration = fit_calibration(scores, truth)
    columns["label_score"] = calibration.probabilities(scores).astype(np.float32)
    columns["is_label_issue"] = columns["label_score"] < 0.5
    columns["order"] = np.lexsort((labelled.rows, scores))
    return calibration


def _table(columns: Columns, labelled: LabelledRows, anchors: RelationAnchors) -> pa.Table:
    """Return the audit's table, the lowest score first."""
    names = np.asarray(labelled.relations, dtype=object)
    scored_by = np.asarray(anchors.scored_by, dtype=object)
    whole = {
        "row": labelled.rows,
        "given_label": names[labelled.labels],
        "predicted_label": names[columns["predicted"]],
        "label_score": columns["label_score"],
        "is_label_issue": columns["is_label_issue"],
        "scored_by": scored_by[labelled.labels],
        **{name: columns[name] for name in EVIDENCE},
    }
    order = columns["order"]
    statements = statement_table([labelled.statements[int(row)] for row in order])
    arrays = {name: statements[name] for name in SCHEMA.names}
    for name, values in whole.items():
        kind = AUDIT_SCHEMA.field(name).type
        taken = values[order]
        arrays[name] = pa.array(taken, type=kind, from_pandas=pa.types.is_floating(kind))
    named = {id: name for id, name in zip(labelled.relations, anchors.names, strict=True) if name}
    told = [name for name in arrays if name not in SCHEMA.names or name in ("head_type", "tail_type")]
    rows = pa.table({name: arrays[name] for name in told})
    arrays["reason"] = pa.array([_reason(values, named) for values in _rows(rows)], type=pa.string())
    return pa.table({name: arrays[name] for name in AUDIT_SCHEMA.names}).cast(AUDIT_SCHEMA.remove_metadata())


def _rows(table: pa.Table) -> Any:
    for batch in table.to_batches(max_chunksize=4096):
        yield from batch.to_pylist()


def _reason(values: Mapping[str, Any], names: Mapping[str, str]) -> str:
    return reason(Row(values, names))


def _relation_table(table: pa.Table, labelled: LabelledRows, anchors: RelationAnchors) -> pa.Table:
    """Return one row per relation, the one with the highest share of wrong labels first."""
    number = {name: place for place, name in enumerate(labelled.relations)}
    given = np.asarray([number[one] for one in table["given_label"].to_pylist()], dtype=np.int64)
    predicted = np.asarray([number[one] for one in table["predicted_label"].to_pylist()], dtype=np.int64)
    issue = table["is_label_issue"].to_numpy()
    wrong = np.bincount(given, weights=1 - table["label_score"].to_numpy(), minlength=len(number))
    issues = np.bincount(given, weights=issue, minlength=len(number)).astype(np.int64)
    confused: list[str | None] = []
    times: list[int] = []
    for place in range(len(number)):
        others = np.bincount(predicted[(given == place) & issue & (predicted != place)], minlength=len(number))
        best = int(others.argmax())
        confused.append(labelled.relations[best] if others[best] else None)
        times.append(int(others[best]))
    columns = {
        "relation": list(labelled.relations),
        "name": list(anchors.names),
        "statements": labelled.counts,
        "label_issues": issues,
        "estimated_wrong": wrong,
        "confused_with": confused,
        "confused": times,
        "scored_by": anchors.scored_by,
    }
    order = np.argsort(-wrong / np.maximum(labelled.counts, 1), kind="stable")
    return pa.table(columns, schema=RELATION_SCHEMA).take(order)
